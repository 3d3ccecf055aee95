"""How the networks of the talk are made and trained."""
