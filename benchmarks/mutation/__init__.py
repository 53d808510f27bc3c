"""How many small changes to the program make a test fail."""
