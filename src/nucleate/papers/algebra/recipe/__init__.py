"""How one network of each kind is made, trained and watched."""
