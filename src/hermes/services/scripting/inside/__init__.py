"""What runs in the interpreter of a script; it is sent there as one text.

It needs nothing but the standard library of Python 3.8, and loads what is slow to load late.
"""
