"""Tests of the scripts, the locked versions, and what the tests themselves stand on."""
