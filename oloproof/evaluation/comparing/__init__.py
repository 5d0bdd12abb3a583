"""How two JSON values compare, place by place, and how what differs is told."""
