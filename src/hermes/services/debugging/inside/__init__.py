"""What runs in the environment beside a program that is debugged."""
