"""How many findings of real trees are true, and how many of the places that matter are found."""
