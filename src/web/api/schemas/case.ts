import { z } from 'zod'
import { alert, caseState, field } from './alert.ts'
import { amount, count, severity, time } from './words.ts'

export const money = z.object({
  token: z.string().describe('Lower-case contract address; empty for the native currency'),
  symbol: z.string(),
  amount,
  usd: z.string().nullable().describe('In US dollars; null without a price'),
})

export const caseView = z
  .object({
    id: z.string(),
    state: caseState,
    severity,
    title: z.string().describe('Its worst finding, in one line'),
    money: z.array(money).describe('What is at risk, each unit once'),
    members: count.describe('How many findings it gathers'),
    openedAt: time.describe('When what it is about began, which may be long before it was found'),
    closedAt: time.nullable(),
    assignee: z.string().nullable(),
    by: z.string().nullable().describe('Who acknowledged or handled it last'),
    reason: z.string().nullable(),
    transferKey: z.string().nullable().describe('The one transfer that it is about'),
    turn: count.describe('How often it opened'),
    turnAt: time.describe('When it opened last'),
    byAt: time.nullable(),
    changedAt: time,
    comesBack: z.string().nullable().describe('What brings it back to those who took it'),
  })
  .describe('Findings that share a cause')

export const statusCase = caseView
  .extend({
    counts: severity
      .nullable()
      .describe('The severity by which it counts for the verdict; null when nothing of it does any more'),
  })
  .describe('A case of the status')

export const caseFinding = alert
  .extend({ atRisk: money.nullable().describe('Several findings may name the same money') })
  .describe('One alert of a case')

export const caseStory = caseView
  .extend({
    remedy: z.string().nullable().describe('What is to be done about the worst of it'),
    runbook: z.string().nullable(),
    kind: z.string().nullable().describe('Of the worst of it'),
    fields: z.array(field).describe('What messages say of the worst of it'),
    findings: z.array(caseFinding).describe('The worst ones, at most 50'),
    timeline: z
      .array(z.object({ at: time, what: z.string(), by: z.string().nullable(), text: z.string() }))
      .describe('Oldest first'),
    told: z.array(z.object({ channel: z.string(), at: time.nullable() })),
    escalations: z.array(z.object({ dueAt: time, route: z.string(), channels: z.array(z.string()) })),
    endsAt: time.nullable().describe('When what is handled is over at the earliest'),
  })
  .describe('A case with all that is kept of it')
