"""One module a way of declaring data: what the application keeps or passes around (`entities(sources)`)."""
