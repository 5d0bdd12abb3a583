"""Changed copies of cases: transforms, the pairs they make, and what labels say of them."""
