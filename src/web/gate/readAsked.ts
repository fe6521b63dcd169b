import { z } from 'zod'
import type { AskedPayment } from './gateFacts.ts'

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'expected an address, 0x and 40 hex digits')
  .transform((text) => text.toLowerCase())

/** What is about to be paid: what is given is compared with what the ledger holds. */
export const gateQuery = z.object({
  token: z
    .union([z.literal('native').transform(() => ''), address], {
      error: 'expected the address of a token, 0x and 40 hex digits, or native',
    })
    .optional()
    .describe('What is to be paid: the address of the token, or `native`'),
  amount: z
    .string()
    .regex(/^\d{1,78}(\.\d{1,78})?$/, 'expected a decimal number of tokens, such as 1000.5')
    .optional()
    .describe('How much, in token units'),
  amountRaw: z
    .string()
    .regex(/^\d{1,78}$/, 'expected a whole number of base units')
    .transform((text) => BigInt(text).toString())
    .optional()
    .describe('How much, in base units'),
  recipient: address.optional().describe('To whom'),
})

export function toAskedPayment(query: z.output<typeof gateQuery>): AskedPayment {
  return {
    token: query.token ?? null,
    amount: query.amount ?? null,
    amountRaw: query.amountRaw ?? null,
    recipient: query.recipient ?? null,
  }
}
