import { expect, test } from 'vitest'
import { addGuardRules } from '../../../src/rules/readRules.ts'
import type { LoadedRule } from '../../../src/rules/types.ts'
import { createRule } from '../alerts/harness.ts'

const rule = (name: string, kind: LoadedRule['kind']): LoadedRule => createRule({ name, kind })
const shipped = [
  rule('source-unavailable', 'source.unavailable'),
  rule('rules-rejected', 'monitor.rules_rejected'),
  rule('transfer-failed', 'transfer.failed'),
]
const added = (...own: LoadedRule[]) => addGuardRules(own, shipped).map(({ name, kind }) => `${name} ${kind}`)

test('rules on transfers alone keep the shipped ones on sources and on the monitor', () => {
  expect(added(rule('mine', 'transfer.stalled'))).toEqual([
    'mine transfer.stalled',
    'source-unavailable source.unavailable',
    'rules-rejected monitor.rules_rejected',
  ])
})

test('an own rule for a kind replaces what is shipped for it', () => {
  expect(added(rule('mine', 'source.unavailable'))).toEqual([
    'mine source.unavailable',
    'rules-rejected monitor.rules_rejected',
  ])
})

test('a shipped rule whose name is taken by another kind gets one of its own', () => {
  expect(added(rule('source-unavailable', 'transfer.failed'))).toEqual([
    'source-unavailable transfer.failed',
    'shipped.source-unavailable source.unavailable',
    'rules-rejected monitor.rules_rejected',
  ])
})
