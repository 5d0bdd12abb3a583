"""JSON Schemas (draft 2020-12) that states are held against."""
