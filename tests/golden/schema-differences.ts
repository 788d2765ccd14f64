const POLICY = 'an unknown policy without conditions is only a warning';

/** The recorded configs for which the JSON Schema and the check differ, by name, and why. */
export const SCHEMA_DIFFERENCES: Readonly<Record<string, string>> = {
  'val-cond-policy-no-conditions': POLICY,
  'conditions/policy without conditions': POLICY,
};
