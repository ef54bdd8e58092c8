-- Atoll keeps its hands off until the object is resumed.
obj.spec.paused = true
return obj
