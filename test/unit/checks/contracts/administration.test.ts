import { describe, expect, test } from 'vitest'
import { indexAdministration, readAdministration } from '../../../../src/checks/contracts/administration.ts'
import { topics } from '../../../../src/sandbox/chain/abi.ts'

const index = indexAdministration()
const none = new Map<string, string>()
const word = (hex: string) => hex.replace('0x', '').padStart(64, '0')
const [alice, bob] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`]

describe('acts of administration', () => {
  test.each([
    ['an upgrade', topics.upgraded, 'upgrade'],
    ['a pause', topics.paused, 'pause'],
    ['the end of a pause', topics.unpaused, 'pause'],
    ['another owner', topics.owner, 'owner'],
    ['a role', topics.roleGranted, 'role'],
    ['a threshold', topics.threshold, 'threshold'],
    ['a fee', topics.fee, 'fee'],
    ['a signer', topics.signer, 'signer'],
  ])('%s is known by its topic', (_, topic, group) => {
    expect(readAdministration(index, none, { topics: [topic], data: '0x' })).toMatchObject({ group })
  })

  test.each([
    ['a transfer', topics.transfer],
    ['a deposit', topics.deposit],
    ['a payout', topics.withdrawal],
    ['a state batch', topics.stateBatch],
  ])('%s is none', (_, topic) => {
    expect(readAdministration(index, none, { topics: [topic], data: '0x' })).toBeNull()
  })

  test('values are read whether they are indexed or not', () => {
    const indexed = { topics: [topics.signer, `0x${word(alice)}`, `0x${word(bob)}`], data: '0x' }
    const plain = { topics: [topics.signer], data: `0x${word(alice)}${word(bob)}` }
    for (const log of [indexed, plain])
      expect(readAdministration(index, none, log)).toMatchObject({ before: alice, after: bob })
    const threshold = { topics: [topics.threshold], data: `0x${word('05')}` }
    expect(readAdministration(index, none, threshold)).toMatchObject({ before: '', after: '5' })
  })

  test('data that breaks off leaves values empty', () => {
    const log = { topics: [topics.signer], data: '0x1234' }
    expect(readAdministration(index, none, log)).toMatchObject({ before: '', after: '' })
  })

  test('a configured topic is told under its name', () => {
    const topic = `0x${'ad'.repeat(32)}`
    expect(
      readAdministration(index, new Map([[topic, 'StakeBought']]), {
        topics: [topic],
        data: `0x${word('07')}`,
      }),
    ).toMatchObject({ group: 'other', event: 'StakeBought', after: word('07') })
  })
})
