"""What ports of real programs took, and what the audit's effort model makes of them."""
