"""What tests share: fixtures opened, programs run, output read. Nothing here is a test."""
