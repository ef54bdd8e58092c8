-- How Argo CD sees the health of Cluster, Stack, ServiceInstance and Machine: it reads the conditions that kstatus reads, and
-- the words of the object itself. See README.md beside it.
local health = {status = "Progressing", message = "Atoll has not looked at it yet"}
local status = obj.status or {}
local conditions = {}
for _, condition in ipairs(status.conditions or {}) do
  conditions[condition.type] = condition
end

local function text_of(condition)
  if condition.message ~= nil and condition.message ~= "" then
    return (condition.reason or "") .. ": " .. condition.message
  end
  return condition.reason or ""
end

local function is_true(type)
  return conditions[type] ~= nil and conditions[type].status == "True"
end

if obj.metadata.deletionTimestamp ~= nil then
  health.message = "being deleted"
  if is_true("Deleting") then
    health.message = "being deleted: " .. text_of(conditions.Deleting)
  end
  return health
end
if is_true("Paused") then
  return {status = "Suspended", message = text_of(conditions.Paused)}
end
if (status.observedGeneration or -1) < (obj.metadata.generation or 0) then
  return health
end
for _, type in ipairs({"Stalled", "RolledBack"}) do
  if is_true(type) then
    return {status = "Degraded", message = text_of(conditions[type])}
  end
end
if is_true("Reconciling") then
  return {status = "Progressing", message = text_of(conditions.Reconciling)}
end
if is_true("Ready") then
  return {status = "Healthy", message = text_of(conditions.Ready)}
end
if conditions.Ready ~= nil then
  health.message = text_of(conditions.Ready)
end
return health
