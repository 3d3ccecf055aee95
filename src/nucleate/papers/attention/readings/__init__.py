"""Measurements that claims and figures share."""
