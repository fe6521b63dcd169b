import { z } from 'zod'
import { defineRaised } from '../../rules/kind.ts'

/** Found by the report, which looks here for its kind. */
export const monitorReportMissed = defineRaised({
  kind: 'monitor.report_missed',
  docs: 'A daily report was not sent.',
  remedy: 'Send the report by hand: `spanwatch report --date DAY --send`.',
  nature: 'event',
  raisedBy: 'app',
  sources: [],
  ties: [],
  isGuard: true,
  hasTransfer: false,
  subjectNames: [],
  facts: { day: 'string', reason: 'string' },
  params: z.strictObject({}),
})
