"""What claims and figures share, computed once."""
