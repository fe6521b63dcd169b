import { z } from 'zod'
import { Secret } from '../lib/secret.ts'
import { pattern, refuse, secretHttpUrl, secretText } from './fields.ts'

const smtpExpected = 'expected an address such as smtp://user:password@host:587 or smtps://host'

const smtpUrl = z.string({ error: smtpExpected }).transform((value, context) => {
  const url = URL.canParse(value) ? new URL(value) : null
  const isSmtp = url?.protocol === 'smtp:' || url?.protocol === 'smtps:'
  return isSmtp && url.hostname !== '' ? new Secret(value) : refuse(context, smtpExpected)
})

const mailAddress = pattern(
  /^(?:[^<>\r\n]*<[^<>\s@,;:]+@[^<>\s@,;:]+>|[^<>\s@,;:]+@[^<>\s@,;:]+)$/,
  'expected a mail address such as ops@example.com',
)

/** Every kind of channel, by its `type`. */
export const channel = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ type: z.literal('slack'), url: secretHttpUrl }),
    z.strictObject({
      type: z.literal('email'),
      smtp: smtpUrl,
      from: mailAddress,
      to: z.array(mailAddress).min(1, 'expected at least one recipient'),
    }),
    z.strictObject({ type: z.literal('webhook'), url: secretHttpUrl, secret: secretText.optional() }),
    z.strictObject({ type: z.literal('console') }),
  ],
  { error: 'expected a channel with type slack, email, webhook or console' },
)

export const channelName = pattern(
  /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/,
  'expected a name of letters, digits, dots, dashes and underscores',
)
