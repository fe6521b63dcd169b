import { encodeEventTopics, parseAbi } from 'viem/utils'
import { expect, test } from 'vitest'
import { token, user } from '../support/bridgeWorld.ts'
import { bridge, createEscrowWorld } from '../support/escrowWorld.ts'
import { send } from '../support/fakeExplorer.ts'

// What the contracts do is shown by ranges of blocks (E19). While that does not answer it is said, and acts of
// administration are asked for by their topics (E18).

const second = 1_000
const minute = 60 * second
const [granted = ''] = encodeEventTopics({
  abi: parseAbi(['event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)']),
  eventName: 'RoleGranted',
}).map(String)

const answers = {
  error: { status: 500, body: { code: '50026', msg: 'system error', data: [] } },
  empty: { status: 200, body: { code: '0', msg: '', data: [] } },
}

test.each([
  ['an error', 'error', true],
  ['nothing', 'empty', true],
  ['an error', 'error', false],
] as const)(
  'a role that is granted is told within three minutes while E19 gives %s, and that is said (%s); logs before: %s',
  async (_, how, hasLogs) => {
    let isDown = false
    const world = await createEscrowWorld({
      pace: { maxRequestsPerSecond: 4, concurrency: 8 },
      prepare(bare) {
        for (let n = 0; n < 6; n += 1)
          bare.deposit(n, { amount: '250', ...(hasLogs && { event: [250_000_000n, token, user(n)] }) })
        const before = bare.fake.intercept
        bare.fake.intercept = (request, response) => {
          if (request.path.endsWith('/log/by-address-and-topic')) {
            const data = bare.fake.logs.filter(({ topics }) => topics[0] === request.query.get('topic0'))
            send(response, 200, { code: '0', msg: '', data })
            return true
          }
          if (!isDown || !request.path.endsWith('/log/by-block-and-address')) return before(request, response)
          send(response, answers[how].status, answers[how].body)
          return true
        }
      },
    })
    await world.pass(3 * minute)
    isDown = true
    await world.pass(10 * second)
    const hash = world.transact({ from: user(3), to: bridge, value: '0' })
    const someone = `0x${'bad0'.repeat(16)}`
    world.fake.logs.push({
      height: String(world.fake.mainHead()),
      address: bridge,
      topics: [granted, `0x${'0'.repeat(64)}`, someone, someone],
      data: '0x',
      txId: hash,
      transactionTime: String(world.now()),
      logIndex: '7',
    })
    const grantedAt = world.now()
    await world.until(() => world.told('contract.changed').length > 0, 'the act')
    expect(world.now() - grantedAt).toBeLessThan(3 * minute)
    const said = how === 'error' ? 'source.unavailable' : 'source.suspicious'
    await world.until(() => world.conditions().some(({ kind }) => kind === said), said)
    expect(world.now() - grantedAt).toBeLessThan(3 * minute)
    isDown = false
    await world.pass(3 * minute)
    expect(world.told('contract.changed')).toHaveLength(1)
  },
  60_000,
)
