import { escrow, otherToken, token, user } from './bridgeWorld.ts'
import { createEscrowWorld, type EscrowWorld, type EscrowWorldOptions } from './escrowWorld.ts'

/** A kind of money that escrows hold. */
export interface Form {
  readonly name: string
  readonly token: string
  readonly decimals: number
  readonly tokenId?: string
}

export const coarse = `0x${'00c0'.repeat(10)}`
const items = `0x${'1155'.repeat(10)}`

export const forms: readonly Form[] = [
  { name: '6 decimals', token, decimals: 6 },
  { name: '18 decimals', token: otherToken, decimals: 18 },
  { name: '0 decimals', token: coarse, decimals: 0 },
  { name: 'ERC-1155', token: items, decimals: 0, tokenId: '7' },
  { name: 'native', token: '', decimals: 18 },
]

/** What tells of money that left. */
const moneyRules = `
rules:
  - { name: mismatch, on: transfer.mismatch, severity: critical }
  - { name: unbacked, on: transfer.unbacked, severity: critical }
  - { name: duplicate, on: transfer.duplicate, severity: critical }
  - { name: drift, on: escrow.drift, where: "facts.direction == 'out'", severity: critical }
  - { name: shortfall, on: escrow.shortfall, severity: critical }
`

interface FormsOptions extends Pick<EscrowWorldOptions, 'balances' | 'prepare'> {
  readonly addresses?: readonly string[]
  /** Tokens that escrows are configured for beside those of the forms. */
  readonly others?: readonly string[]
}

/** A world, a minute old, whose escrows hold each form of money by three deposits. */
export async function startWithForms(options: FormsOptions = {}): Promise<EscrowWorld> {
  const { balances, prepare, addresses = [escrow], others = [] } = options
  const listed = [...new Set([...forms.map((form) => form.token), ...others])]
  const world = await createEscrowWorld({
    rules: moneyRules,
    ...(balances && { balances }),
    bridge: {
      tokens: forms
        .filter((form) => form.token !== '')
        .map((form) => ({ address: form.token, symbol: form.name, decimals: form.decimals })),
      escrows: addresses.flatMap((address) => listed.map((one) => ({ address, token: one, baseline: null }))),
    },
    prepare(bare) {
      for (const [at, form] of forms.entries())
        for (let n = 0; n < 3; n += 1)
          bare.deposit(at * 10 + n, { ...form, amount: String(200 + at * 10 + n) })
      prepare?.(bare)
    },
  })
  await world.pass(60_000)
  return world
}

/** A payout of a form of money, in a transaction of its own. @returns its hash */
export function payOut(world: EscrowWorld, form: Form, to: string, amount: string): string {
  return world.transact(
    form.token === ''
      ? { from: user(9_999), to: escrow, value: '0', calls: [{ from: escrow, to, amount }] }
      : {
          moves: [
            {
              token: form.token,
              decimals: form.decimals,
              from: escrow,
              to,
              amount,
              ...(form.tokenId && { tokenId: form.tokenId }),
            },
          ],
        },
  )
}
