-- Which actions Argo CD offers: an object is paused or resumed, whichever it is not.
local paused = obj.spec ~= nil and obj.spec.paused == true
return {
  pause = {disabled = paused},
  resume = {disabled = not paused},
}
