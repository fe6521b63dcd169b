import { expect, test } from 'vitest'
import { evaluateConditions, evaluateTransfer, matchFinding } from '../../../src/rules/evaluateRules.ts'
import type { Finding } from '../../../src/bridge/finding.ts'
import type { LoadedRule } from '../../../src/rules/types.ts'
import { toFacts } from './facts.ts'
import { rulesOf } from './ruleFiles.ts'
import { eventContext, completed, pendingSince } from './transfers.ts'

const context = eventContext()
const hour = 3_600_000

const failing = rulesOf(`
rules:
  - { name: large, on: transfer.failed, where: transfer.amount >= amount("1000"), severity: critical }
  - { name: any, on: transfer.failed, severity: info }
  - { name: stalled, on: transfer.stalled, severity: info }
`)

test('one transfer is matched against every rule on its events', () => {
  const { matches, errors } = evaluateTransfer(failing, completed({ status: 'failed' }), context)
  expect(matches.map(({ rule }) => rule.name)).toEqual(['any'])
  expect(errors).toEqual([])
})

test('invariant 5: a `where` that fails is no "no": the finding is told as not filtered, and the failure named', () => {
  const unknown = completed({ status: 'failed', amountRaw: null, value: null })
  const { matches, errors } = evaluateTransfer(failing, unknown, context)
  expect(matches.map(({ rule, finding }) => [rule.name, finding.facts['notFiltered']])).toEqual([
    ['large', 'the amount is unknown'],
    ['any', undefined],
  ])
  expect(errors.map(({ rule, subject, error }) => [rule.name, subject, error])).toEqual([
    ['large', 't1', 'the amount is unknown'],
  ])
})

const stalled = rulesOf(`
rules:
  - { name: large, on: transfer.stalled, where: transfer.amount >= amount("1"), severity: critical }
  - { name: raised, on: monitor.state_not_persisted, where: facts.error == "ops", severity: critical }
  - { name: engine, on: monitor.channel_dead, severity: critical }
  - { name: failed, on: transfer.failed, severity: info }
`)

test('conditions are judged rule by rule; a subject of which `where` cannot say anything is told', () => {
  const transfers = [
    pendingSince(0, hour, { key: 't1' }),
    pendingSince(0, hour, { key: 't2', amount: null }),
    pendingSince(0, hour, { key: 't3', amount: '0.5' }),
    pendingSince(0, 1, { key: 't4' }),
  ]
  const [large, ...others] = evaluateConditions(stalled, toFacts(hour, { transfers }))
  expect(large?.judgement.findings.map(({ subject }) => subject)).toEqual(['t1', 't2'])
  expect(large?.judgement.unknown).toEqual(['t4'])
  expect(large?.errors.map(({ subject }) => subject)).toEqual(['t2'])
  expect(others.map(({ rule }) => rule.name)).toEqual(['raised'])
})

test('what is still found, and not by a `where` any more, is not over', () => {
  const transfers = [pendingSince(0, hour, { key: 't3', amount: '0.5' })]
  const [large] = evaluateConditions(stalled, toFacts(hour, { transfers }))
  const endOf = (subject: string) => large?.judgement.lossOf?.({ ...raisedAs(''), subject })
  expect(large?.judgement.findings).toEqual([])
  expect([endOf('t3'), endOf('t1')]).toEqual(['its `where` is not met any more', null])
})

const raisedAs = (error: string): Finding => ({
  kind: 'monitor.state_not_persisted',
  subject: error,
  title: 'the state folder',
  transfer: null,
  facts: { error },
  labels: {},
  evidence: [],
  since: 0,
})

test('conditions raised elsewhere are judged by the rules on their kind', () => {
  const raised = [raisedAs('ops'), raisedAs('mail')]
  const judged = evaluateConditions(stalled, toFacts(hour), raised).find(({ rule }) => rule.name === 'raised')
  expect(judged?.judgement).toMatchObject({ findings: [raised[0]], unknown: [] })
})

test('what the alert engine judges of itself is left to it', () => {
  const judged = evaluateConditions(stalled, toFacts(hour), [])
  expect(judged.map(({ rule }) => rule.name)).not.toContain('engine')
})

test('a ready-made finding is matched by kind and `where`', () => {
  expect(matchFinding(stalled, raisedAs('ops'), hour).matches.map(({ rule }) => rule.name)).toEqual([
    'raised',
  ])
  expect(matchFinding(stalled, raisedAs('mail'), hour).matches).toEqual([])
})

test('a rule whose detector throws keeps all its alerts and holds up no other rule', () => {
  const listPending = () => {
    throw new Error('database is locked')
  }
  const judged = evaluateConditions(stalled, toFacts(hour, { listPending }), [raisedAs('ops')])
  expect(judged.map(({ judgement }) => judgement.unknown)).toEqual(['all', []])
  expect(judged[0]?.errors).toMatchObject([{ subject: null, error: 'database is locked' }])
})

test('a rule that throws anything at all is isolated', () => {
  const broken: LoadedRule = {
    ...(failing[1] as LoadedRule),
    name: 'broken',
    matches: () => {
      throw new TypeError('boom')
    },
  }
  const { matches, errors } = evaluateTransfer([broken, ...failing], completed({ status: 'failed' }), context)
  expect(matches.map(({ rule }) => rule.name)).toEqual(['broken', 'any'])
  expect(errors.map(({ rule }) => rule.name)).toEqual(['broken'])
})
