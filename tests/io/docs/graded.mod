graded
