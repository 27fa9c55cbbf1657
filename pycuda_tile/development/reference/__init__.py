"""What the reference is made of besides the tables: its examples, and how pages arrange entities."""
