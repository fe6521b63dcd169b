import { describe, expect, test } from 'vitest'
import {
  listScenarios,
  loadScenario,
  parseScenario,
  scenarioJsonSchema,
  faultTable,
} from '../../../src/sandbox/scenario.ts'

describe('a scenario that is wrong is refused with its position', () => {
  test.each([
    {
      title: 'an unknown fault',
      yaml: 'name: x\ntimeline:\n  - { at: 1s, fault: transfer.fail }',
      says: /^x.yaml:3:22: .*unknown fault `transfer.fail`, did you mean `transfer.failed`\?/,
    },
    {
      title: 'an unknown key',
      yaml: 'name: x\nsede: 3',
      says: /^x.yaml:2:1: .*`sede`, .*`seed`\?\n.*sede: 3\n *\| \^\^\^\^$/,
    },
    {
      title: 'a bad duration',
      yaml: 'name: x\ntimeline:\n  - { at: 1 parsec, fault: api.html }',
      says: /^x.yaml:3:11: `timeline\[0\].at`: expected a duration/,
    },
    {
      title: 'an unknown key of a fault',
      yaml: 'name: x\ntimeline:\n  - { fault: api.html, shar: 1 }',
      says: /^x.yaml:3:24: unknown key `shar`, did you mean `share`\?/,
    },
    {
      title: 'a share above one',
      yaml: 'name: x\ntimeline:\n  - { fault: api.html, share: 1.5 }',
      says: /^x.yaml:3:31: /,
    },
    {
      title: 'an amount that is not text',
      yaml: 'name: x\ntimeline:\n  - { fault: transfer.failed, amount: 1.5 }',
      says: /^x.yaml:3:39: /,
    },
    { title: 'no name', yaml: 'seed: 3', says: /^x.yaml:1:1: `name` is missing: / },
    { title: 'broken YAML', yaml: 'name: [', says: /^x.yaml:1:\d+: / },
    { title: 'a key twice', yaml: 'name: x\nname: y', says: /^x.yaml:2:1: / },
    { title: 'no YAML mapping', yaml: '3', says: /^x.yaml:1:1: / },
  ])('$title', ({ yaml, says }) => {
    expect(() => parseScenario(yaml, 'x.yaml')).toThrow(says)
  })
})

test('an alias bomb is refused', () => {
  const levels = [
    'a: &a [x,x,x,x,x,x,x,x,x,x]',
    ...'bcdefg'
      .split('')
      .map((name, at) => `${name}: &${name} [${Array(10).fill(`*${'abcdefg'[at]}`).join(',')}]`),
  ]
  expect(() => parseScenario(['name: x', ...levels].join('\n'), 'x.yaml')).toThrow(/x.yaml:\d+:\d+: /)
})

test('every shipped scenario loads and is listed under its own name', async () => {
  const names = (await listScenarios()).map((scenario) => scenario.name)
  expect(names).toEqual(expect.arrayContaining(['default', 'healthy', 'hostile-names', 'outage', 'storm']))
  expect(names).toEqual(names.toSorted())
})

test('an unknown scenario names the known ones', async () => {
  await expect(loadScenario('nowhere')).rejects.toThrow(/no scenario 'nowhere'; known scenarios: .*default/)
})

test('the JSON Schema knows every fault', () => {
  const text = JSON.stringify(scenarioJsonSchema())
  expect(faultTable.filter((row) => !text.includes(`"${row.name}"`))).toEqual([])
})
