// tracks
