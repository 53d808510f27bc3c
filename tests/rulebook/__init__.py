"""Tests of the rulebook: its names, and what they are compared with."""
