"""What runs where the commands run: the standard library only, so that it can be sent anywhere."""
