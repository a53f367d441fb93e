"""One function per user intention; takes session, actor, now; flushes, never commits."""
