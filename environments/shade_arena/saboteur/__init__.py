"""What the scripted agent does here: the calls of both tasks, with looks, slips and thoughts around them."""
