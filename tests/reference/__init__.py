"""Slow, plain models of the rules, written from the rules alone: the oracles of the tests."""
