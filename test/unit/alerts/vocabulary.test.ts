import { expect, test } from 'vitest'
import { createOperations } from '../../../src/alerts/operations.ts'
import { parseMatcher } from '../../../src/alerts/matchers.ts'
import { findUnknown, listVocabulary } from '../../../src/alerts/vocabulary.ts'
import { kinds } from '../../../src/checks/index.ts'
import { createSilentLog } from '../../../src/lib/log.ts'
import { ana, createBench, createEvent, createRule, start } from './harness.ts'

const rules = [
  createRule({ name: 'withdrawal-stalled', labels: { team: 'bridge' } }),
  createRule({ name: 'deposit-stalled', labels: { team: 'treasury', chain: 'side' } }),
]
const known = listVocabulary({ rules, channels: ['ops-slack'], symbols: ['USDC', 'WETH'] }, kinds)

function problemOf(text: string): string | null {
  const parsed = parseMatcher(text)
  if (!parsed.ok) throw new Error(parsed.problem)
  return findUnknown(parsed.matcher, known)
}

test.each([
  ['rule=withdrawal-stalled'],
  ['rule=monitor.channel_dead'],
  ['rule=~".*-stalled"'],
  ['rule!=deposit-stalled'],
  ['kind=transfer.failed'],
  ['kind=monitor.rule_error'],
  ['kind=~"source\\..*"'],
  ['severity=critical'],
  ['chain=zone'],
  ['chain=""'],
  ['chain=side'],
  ['source=explorer'],
  ['channel=ops-slack'],
  ['team=bridge'],
  ['team=""'],
  ['direction=ZoneToMain'],
  ['token=0x1'],
  ['symbol=~"US.*"'],
  ['symbol=WETH'],
  ['symbol=""'],
  ['escrow=0xabc'],
  ['poller=transfers'],
  ['transfer=t42'],
  ['main_tx=0x12'],
])('%s can mean something', (text) => {
  expect(problemOf(text)).toBeNull()
})

test.each([
  ['rul=x', 'no alert has a label `rul`, did you mean `rule`?'],
  ['tem=bridge', 'no alert has a label `tem`, did you mean `team`?'],
  ['nothing.like_it=x', 'no alert has a label `nothing.like_it`'],
  ['rule=withdrawal-staled', 'there is no rule `withdrawal-staled`, did you mean `withdrawal-stalled`?'],
  ['rule!=withdrawal-staled', 'there is no rule `withdrawal-staled`, did you mean `withdrawal-stalled`?'],
  ['rule=~"withdraw"', 'no rule matches `withdraw`'],
  ['rule!~"x.*"', 'no rule matches `x.*`'],
  ['rule=""', 'there is no rule ``'],
  ['kind=transfer.faild', 'there is no kind `transfer.faild`, did you mean `transfer.failed`?'],
  ['kind=~"transfers\\..*"', 'no kind matches `transfers\\..*`'],
  ['severity=crit', 'there is no severity `crit`'],
  ['channel=ops-slak', 'there is no channel `ops-slak`, did you mean `ops-slack`?'],
  ['source=explorr', 'there is no source `explorr`, did you mean `explorer`?'],
  ['chain=mian', 'there is no chain `mian`, did you mean `main`?'],
  ['symbol=USCD', 'there is no symbol `USCD`, did you mean `USDC`?'],
  ['team=brigde', 'there is no team `brigde`, did you mean `bridge`?'],
])('%s is refused: %s', (text, problem) => {
  expect(problemOf(text)).toBe(problem)
})

function run(areRead = true) {
  const bench = createBench()
  const operations = createOperations({
    following: new Set(),
    ...bench,
    kinds,
    vocabulary: { rules: areRead ? rules : null, channels: ['ops-slack'] },
    log: createSilentLog(),
    onChanged: () => undefined,
  })
  const input = { startsAt: null, endsAt: start + 3_600_000, author: 'ana', comment: 'known' }
  return {
    ...bench,
    silence: (matchers: string[], allowUnknown = false) =>
      operations.addSilence({ ...input, matchers, allowUnknown }, ana),
  }
}

test('a silence that can silence nothing is refused, unless it is for what is to come', () => {
  const { silence, store } = run()
  expect(() => silence(['rule=withdrawal-staled', 'tem=x'])).toThrow(
    'This silence is refused: there is no rule `withdrawal-staled`, did you mean `withdrawal-stalled`?; no alert has a label `tem`, did you mean `team`?; for what is to come: --allow-unknown, `allowUnknown` of the API, or the box in the form',
  )
  expect(store.listSilencesAt(start)).toEqual([])
  expect(silence(['rule=withdrawal-staled'], true).id).toBe(1)
})

test('one that stands already goes on to hold, whatever became of its rule', () => {
  const { store, engine } = run()
  const gone = createRule({ name: 'gone' })
  const row = { startsAt: start - 1, endsAt: start + 9, author: 'ana', comment: 'x', createdAt: start }
  store.insertSilence({ ...row, matchers: ['rule="gone"'] })
  engine.tellEvents([{ rule: gone, finding: createEvent(1) }], start)
  expect(store.listHeldChannels(1)).toEqual(['ops'])
})

test('where the rules cannot be read nobody can say what exists, and says so', () => {
  const { silence } = run(false)
  expect(() => silence(['rule=withdrawal-stalled'])).toThrow('The rules cannot be read')
  expect(silence(['rule=withdrawal-stalled'], true).id).toBe(1)
})
