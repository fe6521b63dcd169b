export const ruleAsks = `
-- What a rule asks for, once all that it found before is found again or over: what ends by a change of it is not called resolved.
ALTER TABLE rule_evaluations ADD COLUMN asks TEXT;
`
