"""What Django and Django REST framework add to plain Python: URL patterns, routers, views and app configs."""
