import type { z } from 'zod'
import { alert, alertStory, evidenceNote, field } from './schemas/alert.ts'
import { breakEntry, breakSum, shownBreak } from './schemas/breaks.ts'
import { caseFinding, caseStory, caseView, money, statusCase } from './schemas/case.ts'
import { escrowLine, escrowStory, movement } from './schemas/escrow.ts'
import { change, outboxItem, problem, rule, unwatched } from './schemas/lists.ts'
import { report } from './schemas/report.ts'
import { reportSum, reportToken } from './schemas/reportParts.ts'
import { matchedAlerts, shownSilence, silence } from './schemas/silence.ts'
import { status } from './schemas/status.ts'
import { evidence, leg, observation, token, transfer, transferStory } from './schemas/transfer.ts'

/** The shapes that answers are made of, by the names that the document gives them. */
export const components: Readonly<Record<string, z.ZodType>> = {
  Alert: alert,
  AlertStory: alertStory,
  Break: shownBreak,
  BreakEntry: breakEntry,
  BreakSum: breakSum,
  Case: caseView,
  CaseFinding: caseFinding,
  CaseStory: caseStory,
  Change: change,
  EscrowLine: escrowLine,
  EscrowMovement: movement,
  EscrowStory: escrowStory,
  Evidence: evidence,
  EvidenceNote: evidenceNote,
  Field: field,
  Leg: leg,
  MatchedAlerts: matchedAlerts,
  Money: money,
  Observation: observation,
  OutboxItem: outboxItem,
  Problem: problem,
  Report: report,
  ReportSum: reportSum,
  ReportToken: reportToken,
  Rule: rule,
  ShownSilence: shownSilence,
  Silence: silence,
  Status: status,
  StatusCase: statusCase,
  Token: token,
  Transfer: transfer,
  TransferStory: transferStory,
  Unwatched: unwatched,
}
