"""Players: the policies by name, and the moves that a computer chooses by them."""
