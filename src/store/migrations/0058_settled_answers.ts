export const settledAnswers = `
-- What was answered about the legs of a transfer that is over, by the transfer's number: its row has their hashes, and most of the
-- texts in the answers, so that both stand in one row without them. Moved here little by little; moved back where more is said.
CREATE TABLE settled_answers (
  key INTEGER PRIMARY KEY,
  -- 1 where one of them says more than that it succeeded.
  telling INTEGER NOT NULL,
  answers ANY NOT NULL
) STRICT;
`
