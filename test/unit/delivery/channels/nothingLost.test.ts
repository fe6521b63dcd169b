import { describe, expect, test } from 'vitest'
import type { Message } from '../../../../src/delivery/channels/message.ts'
import { renderAlertmanager } from '../../../../src/delivery/channels/renderAlertmanager.ts'
import { renderDiscord, renderDiscordPlain } from '../../../../src/delivery/channels/renderDiscord.ts'
import { renderMail, renderPlainMail } from '../../../../src/delivery/channels/renderMail.ts'
import { renderPagerDuty } from '../../../../src/delivery/channels/renderPagerDuty.ts'
import { renderSlack, renderSlackPlain } from '../../../../src/delivery/channels/renderSlack.ts'
import { renderTeams, renderTeamsPlain } from '../../../../src/delivery/channels/renderTeams.ts'
import { renderTelegram, renderTelegramPlain } from '../../../../src/delivery/channels/renderTelegram.ts'
import { renderReply } from '../../../../src/delivery/channels/slackApp/renderCase.ts'
import { fc, timesOf } from '../../../support/fastCheck.ts'
import { hostileTexts, toCase, toItem, toMessage } from '../messages.ts'

/** Findings, facts and what joined them are marked at their beginning, and go on as anybody may have written them. */
const tail = fc.constantFrom(
  '',
  '   ',
  ...hostileTexts.filter(({ length }) => length < 1_000),
  '👩🏽‍🚀🇨🇺'.repeat(700),
  '"&<'.repeat(80),
)
const anyItem = fc.record({
  summary: tail,
  subject: tail,
  fields: fc.array(fc.tuple(tail, fc.constantFrom('fact', 'detail', 'hash')), { maxLength: 40 }),
  joined: fc.array(tail, { maxLength: 3 }),
})
const anyMessage = fc
  .tuple(fc.array(anyItem, { minLength: 1, maxLength: 25 }), fc.constantFrom(0, 1, 300))
  .map(([items, untold]) =>
    toMessage({
      headline: 'CRITICAL: many',
      total: items.length + untold,
      items: items.map((of, n) =>
        toItem({
          summary: `s${n}z ${of.summary}`,
          subject: `s${n}z ${of.subject}`,
          runbook: null,
          remedy: null,
          fields: of.fields.map(([value, place], m) => ({
            label: 'Fact',
            value: `f${m}z ${value}`,
            href: null,
            place,
          })),
          joined: of.joined.map((summary, m) => toItem({ summary: `j${m}z ${summary}` })),
        }),
      ),
    }),
  )
const about = ({ total }: Message) => toCase({ members: total })

describe.each<[string, (message: Message) => unknown]>([
  ['Slack', (message) => renderSlack(message).blocks],
  ['Slack, plain', renderSlackPlain],
  ['Slack app', (message) => renderReply(message, about(message))],
  ['Discord', renderDiscord],
  ['Discord, plain', renderDiscordPlain],
  ['Teams', renderTeams],
  ['Teams, plain', renderTeamsPlain],
  ['Telegram', renderTelegram],
  ['Telegram, plain', renderTelegramPlain],
  ['mail, text', (message) => renderMail(message).text],
  ['mail, HTML', (message) => renderMail(message).html],
  ['mail, plain', renderPlainMail],
  ['PagerDuty', (message) => renderPagerDuty(message, { degraded: false }).events],
  [
    'PagerDuty, of a case',
    (message) => renderPagerDuty({ ...message, case: about(message) }, { degraded: false }).events,
  ],
  [
    'Alertmanager',
    (message) => renderAlertmanager(message, { degraded: false, before: null }, message.createdAt),
  ],
])('%s', (_, render) => {
  test('says or counts each finding, whatever is written in it', () => {
    fc.assert(
      fc.property(anyMessage, (message) => {
        const text = JSON.stringify(render(message))
        const told = message.items.filter((_one, n) => text.includes(`s${n}z`)).length
        const untold = Number(/… and (\d+) more(?! field)/.exec(text)?.[1] ?? 0)
        expect(told + untold).toBe(message.total)
      }),
      { numRuns: timesOf(60) },
    )
  })
})
