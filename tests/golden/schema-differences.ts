const POLICY = 'a policy that does not exist is only a warning where there are no conditions';

/** The recorded configs of which the JSON Schema says otherwise than the check, by name, and why. */
export const SCHEMA_DIFFERENCES: Readonly<Record<string, string>> = {
  'val-cond-policy-no-conditions': POLICY,
  'conditions/policy without conditions': POLICY,
};
