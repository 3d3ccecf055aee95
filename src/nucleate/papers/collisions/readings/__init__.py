"""What records and networks are asked by claims and figures alike, a module for each kind of question."""
