"""Things that lie about in real applications and have nothing to do with anybody's task."""
