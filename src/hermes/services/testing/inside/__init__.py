"""Reporters that run in the environment beside the tests, with nothing but what is there."""
