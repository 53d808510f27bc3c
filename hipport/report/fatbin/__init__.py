"""What the subcommands of `hipport fatbin` print."""
