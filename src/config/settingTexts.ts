/**
 * What each setting means, in one line: for the JSON Schema that editors read and for docs/configuration.md. A path
 * names a place in `spanwatch.yaml`; `[]` is every entry of a list, `NAME` a name of one's own.
 */
export const settingTexts: Readonly<Record<string, string>> = {
  explorer: 'The query API of the explorer. Required.',
  'explorer.baseUrl': 'Its address, without the path `/api/v5/…`. Required.',
  'explorer.baseUrl[].name': 'What messages call it; its host when left out.',
  'explorer.baseUrl[].url': 'Its address, without the path `/api/v5/…`.',
  'explorer.quorum':
    'How many of several sources have to say what an accusation rests on that goes by absence: no origin, no record. One that does not answer holds up none.',
  'explorer.chains': 'The `chainShortName` values. Required.',
  'explorer.chains.main': 'Of the main chain.',
  'explorer.chains.zone': 'Of the zone chain: another one.',
  'explorer.dialect': 'How this deployment spells the two chains; the neutral spelling when left out.',
  'explorer.dialect.path': 'The words in paths: `/api/v5/PATH/…`.',
  'explorer.dialect.path.main': 'Main chain.',
  'explorer.dialect.path.zone': 'Zone chain.',
  'explorer.dialect.field': 'The beginnings of field names: `FIELDTxHash`.',
  'explorer.dialect.field.main': 'Main chain.',
  'explorer.dialect.field.zone': 'Zone chain.',
  'explorer.dialect.direction': 'The words in direction values: `MainToZone`.',
  'explorer.dialect.direction.main': 'Main chain.',
  'explorer.dialect.direction.zone': 'Zone chain.',
  'explorer.dialect.headerPrefix': 'The beginning of the authentication headers: `PREFIX-ACCESS-KEY`.',
  'explorer.auth': 'Credentials; none are sent when left out.',
  'explorer.auth.key': 'API key.',
  'explorer.auth.secret': 'What requests are signed with.',
  'explorer.auth.passphrase': 'Pass phrase of the key.',
  'explorer.auth.signer': 'How requests are signed; `none` sends the headers without a signature.',
  'explorer.pace': 'Upper bounds of the pace; below them it adapts by itself.',
  'explorer.pace.maxRequestsPerSecond': 'Requests a second, 1 to 1000.',
  'explorer.pace.concurrency':
    'Requests in flight at a time: with fewer a service that takes seconds to answer is asked more seldom.',
  'explorer.timeout': 'How long an answer may take, its body included.',
  'explorer.links': 'Where people can look at what a message names.',
  'explorer.links.tx': 'Addresses of transaction pages, with `{hash}` in them.',
  'explorer.links.tx.main': 'Of main transactions.',
  'explorer.links.tx.zone': 'Of zone transactions.',
  preconf: 'The preconfirmation RPC; preconfirmations are not watched without it.',
  'preconf.url': 'Its address.',
  'preconf.url[].name': 'What messages call it; its host when left out.',
  'preconf.url[].url': 'Its address.',
  'preconf.quorum':
    'As `explorer.quorum`, of what these nodes say an escrow holds, where `canonical` is not set.',
  'preconf.interval': 'How often it is asked.',
  canonical: 'A plain RPC of the main chain, as a second source beside the explorer.',
  'canonical.url':
    'Its address, or a list of several: the others answer when one does not, and are compared.',
  'canonical.url[].name': 'What messages call it; its host when left out.',
  'canonical.url[].url': 'Its address.',
  'canonical.quorum': 'As `explorer.quorum`, of receipts that are missing and of balances.',
  'canonical.verifyAbove': 'Every leg of at least this amount, in token units, is asked of it.',
  'canonical.sample': 'The share of the other legs that is asked of it, 0 to 1.',
  'canonical.confirmations': 'Blocks after which a missing receipt counts.',
  zoneRpc: 'A plain RPC of the zone chain, as a second source beside the explorer.',
  'zoneRpc.url': 'Its address, or a list of several.',
  'zoneRpc.url[].name': 'What messages call it; its host when left out.',
  'zoneRpc.url[].url': 'Its address.',
  'zoneRpc.quorum': 'As `explorer.quorum`, of receipts that are missing and of what exists of a token.',
  'zoneRpc.verifyAbove': 'Every leg of at least this amount, in token units, is asked of it.',
  'zoneRpc.sample': 'The share of the other legs that is asked of it, 0 to 1.',
  'zoneRpc.confirmations': 'Blocks after which a missing receipt counts.',
  'zoneRpc.contracts':
    'Contracts of the zone that write a log about each withdrawal: the bridge there, or the tokens. Their logs of every block are read; without them a sample of blocks is.',
  bridge: 'What is known of the bridge.',
  'bridge.contracts': "The bridge's contracts on the main chain.",
  'bridge.events':
    'Events of these contracts whose meaning is known. The others are learned from transfers that are listed, or well known.',
  'bridge.events[].topic': 'The first topic: keccak-256 of the signature.',
  'bridge.events[].means':
    'A `deposit` or `payout` without a record opens a transfer; `administration` is reported as `contract.changed`.',
  'bridge.events[].name': 'What messages call it.',
  'bridge.escrows': 'Where locked value lies; every contract for every token seen there when left out.',
  'bridge.escrows[].address':
    'The escrow; `0x` and 40 zeros for a token that the bridge mints and burns on the main chain.',
  'bridge.escrows[].token':
    'The token that it holds; what else it held when it was first read is watched, too.',
  'bridge.escrows[].baseline': 'What it owed at the start, in token units; its balance then, when left out.',
  'bridge.operators': 'Relayers and posters.',
  'bridge.operators[].address': 'The operator.',
  'bridge.stages':
    'What a withdrawal passes before it can be claimed, in its order; none where it is paid by itself.',
  'bridge.stages[].stage':
    '`proposed`, `challengeable`, `provable`, `proven`, `claimable`, `expired`; `removed` takes proposals back.',
  'bridge.stages[].event':
    'The event of one of `bridge.contracts` that begins it, with the names of its parts.',
  'bridge.stages[].names':
    'The part of the event that names the withdrawal, by its zone transaction or its id.',
  'bridge.stages[].height':
    'The part that says up to which zone block a proposal reaches, or from which on it is removed.',
  'bridge.stages[].challenge': 'Words of the challenge status of a proposal’s transaction that begin it.',
  'bridge.stages[].lasts':
    'How long it lasts by rule: until then nobody is late. Of `claimable`, until it expires.',
  'bridge.stages[].every': 'How often a proposal comes.',
  'bridge.probes': 'Who sends transfers to see whether they come through. Sending them is up to you.',
  'bridge.probes[].address': 'Who sends them: the sender that their records name.',
  'bridge.probes[].direction': '`MainToZone` or `ZoneToMain`.',
  'bridge.probes[].every': 'How often one is sent.',
  'bridge.limits':
    'Limits that contracts of the main chain keep themselves: how much of each is used is read.',
  'bridge.limits[].name': 'What messages call it.',
  'bridge.limits[].address': 'The contract.',
  'bridge.limits[].call':
    'The function that says how much is used, as the contract declares it: `usedToday(address token) view returns (uint256)`.',
  'bridge.limits[].args': 'What it is asked with, in order.',
  'bridge.limits[].max':
    'The limit, base units in quotes; or `call` and `args` of the function of the same contract that says it.',
  'bridge.limits[].max.call': 'The function that says what the limit is.',
  'bridge.limits[].max.args': 'What it is asked with, in order.',
  'bridge.limits[].decimals': 'Of what is counted: messages show it in whole units.',
  'bridge.operators[].minBalance': 'In the native currency: below it, it is running out of gas money.',
  'bridge.tokens':
    'Tokens that are known; names from the chain prove nothing. Decimals of others are learned.',
  'bridge.tokens[].address': 'The token contract; of the native currency `0xEeee…`, 20 times `ee`.',
  'bridge.tokens[].symbol': 'The symbol shown in messages.',
  'bridge.tokens[].decimals': 'Its decimals.',
  'bridge.prices':
    'A JSON file of prices that others keep up to date: `{ "0x…": "0.9998", "native": "2950.1" }`, US dollars for one unit, above 0. It goes before `usd`, and is read again when it changed. An entry that cannot be read leaves its price of before, and is named in the log.',
  'bridge.tokens[].zoneAddress':
    'Its contract on the zone chain, by which records may name it: with `zoneRpc` what there is of it there is compared with what was locked (`supply.excess`). `spanwatch check` names the one that matched deposits show. Leave it out where other routes create the same token.',
  'bridge.tokens[].usd':
    'What one of it is worth in US dollars: money at risk is shown in dollars too, at this price; with 0 it is not.',
  'bridge.wrappedNative':
    'The contract of the wrapped native currency, where the escrows hold that and records name the native one: what moves of the two is counted together.',
  'bridge.challenge': 'Values of `challengeStatus`, when they are known.',
  'bridge.challenge.known': 'All of them; any other one is reported. Off when empty.',
  'bridge.challenge.terminal':
    'Those that never change again; a change from one is reported as such. Off when empty.',
  'bridge.fees':
    'What may be kept of a transfer, so that its legs differ. Learned of tokens and directions that it does not name.',
  'bridge.fees[].token': 'The token contract.',
  'bridge.fees[].direction': 'Deposits or withdrawals.',
  'bridge.fees[].max':
    'At most so much, in token units; never all of a transfer: one of which nothing arrives is told, whatever may be kept.',
  poll: 'When each part asks: cron expressions with seconds.',
  'poll.transfers': 'The newest records (E3), and one page of the sweep.',
  'poll.openTransfers': 'What is open or disputed, by hash (E12, E9).',
  'poll.evidence': 'What second sources say of each leg (E9, E13, receipts).',
  'poll.challenges': 'Challenge states (E6).',
  'poll.heads': 'How far both chains are (E5, E11).',
  'poll.contracts': "The bridge's logs (E19) and verified sources (E17).",
  'poll.escrows': 'Balances and flows of escrows, gas money of operators.',
  'poll.audit': 'The list and the zone chain against the ledger.',
  'poll.sweep': 'How far back the rolling sweep reads the list again.',
  start: 'Where a first start begins.',
  'start.from': '`now`, a duration such as `30d`, `genesis`, `main:HEIGHT` or `zone:HEIGHT`.',
  state: 'The folder of the ledger, from this file’s folder.',
  rules: 'The folder of the rules, from this file’s folder; `./rules`, else the shipped ones.',
  channels: 'Where messages go, by a name of your own; the console when there are none.',
  'channels.NAME': 'One channel.',
  'channels.NAME.type':
    '`slack`, `slack-app`, `email`, `webhook`, `pagerduty`, `alertmanager`, `teams`, `discord`, `telegram` or `console`: [channels.md](channels.md).',
  'channels.NAME.url':
    'The address that is posted to: `slack`, `webhook`, `alertmanager`, `teams`, `discord`; `slack-app`, where it is not https://slack.com/api/; `pagerduty`, where it is not the one of the United States; `telegram`, of another Bot API server.',
  'channels.NAME.token': '`slack-app`: the bot token, `xoxb-…`.',
  'channels.NAME.appToken':
    '`slack-app`: the app-level token, `xapp-…`, for buttons; there are none without it.',
  'channels.NAME.channel': '`slack-app`: the id of the channel, or its name.',
  'channels.NAME.smtp': '`email`: the server, `smtp://user:password@host:587` or `smtps://host`.',
  'channels.NAME.from': '`email`: the sender.',
  'channels.NAME.to': '`email`: the recipients.',
  'channels.NAME.secret': '`webhook`: what each body is signed with (HMAC-SHA256).',
  'channels.NAME.body':
    '`webhook`: a Liquid template that the body is made by: [webhook.md](webhook.md#a-body-of-your-own).',
  'channels.NAME.contentType': '`webhook`: what such a body is; `application/json` when left out.',
  'channels.NAME.botToken': '`telegram`: the token of the bot.',
  'channels.NAME.chatId': '`telegram`: the chat that it writes to.',
  'channels.NAME.messageThreadId': '`telegram`: the topic within the chat; none when left out.',
  'channels.NAME.routingKey': '`pagerduty`: the integration key of an Events API v2 integration.',
  routes:
    'Which alerts go to which channels: the first that matches; everything to all channels when there are none.',
  'routes[].match':
    'CEL over labels, such as `severity == "critical"`, and over `transfer`, `transfer_id`, `main_tx`, `zone_tx`; everything when left out.',
  'routes[].channels': 'The channels.',
  'routes[].groupBy':
    'What shares messages: `case` is what shares a cause; else alerts with equal labels of these names.',
  'routes[].escalate': 'Who is told too when nobody has acknowledged or handled a case.',
  'routes[].escalate[].after': 'How long after the case opened.',
  'routes[].escalate[].channels': 'The names of channels.',
  'routes[].groupWait':
    'How long the first message of a group waits for others; 0 for events and critical alerts, else 30s.',
  'routes[].groupInterval': 'The least time between two messages of a group of conditions.',
  'routes[].repeat': 'After how long a condition that still holds is sent again.',
  'routes[].repeatMax':
    'Reminders grow up to here, at least `repeat`, each twice as late as the one before; they do not when left out.',
  'routes[].sendResolved': 'Whether the end of a condition is sent.',
  'routes[].mute': 'Names of `muteTimes`: while one holds, this route sends only what is critical.',
  'routes[].activeTimes':
    'Names of `muteTimes`: while none of them holds, this route sends only what is critical. Always active when left out.',
  'routes[].muteCritical': 'Whether they hold for what is critical too.',
  'routes[].continue': 'Whether the routes below are looked at too.',
  muteTimes: 'Days and times in which routes may be muted, or be active, by name.',
  'muteTimes.NAME':
    'A list of intervals: it holds while one of them does. All that an interval names must hold.',
  'muteTimes.NAME[].timezone': 'IANA name of the zone whose clock counts.',
  'muteTimes.NAME[].weekdays': 'The days on which it begins: `mon`, `tue`, …',
  'muteTimes.NAME[].daysOfMonth':
    'The days of the month on which it begins: `1`, `-1` (the last), `"1:7"`, `"-3:-1"`; every day when left out.',
  'muteTimes.NAME[].months': 'The months: `dec`, `12`, `"jun:aug"`; every month when left out.',
  'muteTimes.NAME[].dates':
    'The dates on which it begins: `2026-12-24`, `"2026-12-24:2027-01-01"`; every date when left out.',
  'muteTimes.NAME[].from': 'When it begins, such as `"22:00"`.',
  'muteTimes.NAME[].to': 'When it ends; at or before `from` it ends on the next day.',
  inhibit: 'Conditions that another alert explains are not sent while it fires.',
  'inhibit[].source': 'CEL over labels: the alert that explains.',
  'inhibit[].target': 'CEL over labels: the conditions that are inhibited.',
  'inhibit[].equal': 'Labels that have to be equal on both sides.',
  reports: 'Reports by mail.',
  'reports.daily': 'The daily reconciliation; none when left out.',
  'reports.daily.cron': 'When it is due, in its time zone.',
  'reports.daily.timezone': 'An IANA time zone: what a day is.',
  'reports.daily.channel': 'The channel it goes to.',
  'reports.weekly': 'The same of a week, from Monday on; none when left out.',
  'reports.weekly.cron': 'When it is due, in its time zone.',
  'reports.weekly.timezone': 'An IANA time zone: what a week is.',
  'reports.weekly.channel': 'The channel it goes to.',
  'reports.monthly': 'The same of a month; none when left out.',
  'reports.monthly.cron': 'When it is due, in its time zone.',
  'reports.monthly.timezone': 'An IANA time zone: what a month is.',
  'reports.monthly.channel': 'The channel it goes to.',
  http: 'Status page, API and metrics; `null` switches them off.',
  'http.listen': '`host:port`. Without a token on loopback only.',
  'http.token':
    'What the page and the API ask for; needed beyond loopback, and there at least 16 characters long.',
  'http.readToken': 'A second token that may look and change nothing; without it there is only `http.token`.',
  'http.sessions':
    'Any text. Another one, and a restart, end all sessions of the page at once; so does another token.',
  'http.trustProxy':
    "Addresses and ranges of your reverse proxies: whose `X-Forwarded-For` is believed. Nobody else's is.",
  'http.publicUrl': 'The address under which people reach the page, for links in messages.',
  heartbeat: 'An outside switch that alarms when spanwatch falls silent.',
  'heartbeat.url': 'Its address; `/fail` is added while nothing can be checked.',
  'heartbeat.every': 'How often it is called.',
  canary: 'One real test message a day down each channel; none when left out.',
  'canary.cron': 'When, in its time zone.',
  'canary.timezone': 'An IANA time zone.',
  'canary.channels': 'These channels; all of them when empty.',
  retention: 'Retention: how long the ledger keeps what is over.',
  'retention.transfers': 'Ended transfers.',
  'retention.preconf': 'Preconfirmations.',
  'retention.audit': 'The audit log: who changed what.',
  replicas:
    'Several machines for one bridge, by way of PostgreSQL: one watches, the others follow and take over. One alone when left out. See [replicas.md](replicas.md).',
  'replicas.database':
    'Where PostgreSQL is: `postgres://user:password@host:5432/database`. TLS with a verified certificate, unless it is this machine or the address says `?sslmode=disable`. Required.',
  'replicas.bridge': 'The name of the bridge, the same on all its nodes. Required.',
  'replicas.node': 'The name of this node; the name of its machine when left out.',
  'replicas.ca':
    'A PEM file of who signs the certificate of PostgreSQL, where the system does not know them.',
  backups: 'Copies of the ledger in `backups/` of the state folder, made while it runs; none when left out.',
  'backups.every': 'How old the newest may become.',
  'backups.keep': 'How many are kept.',
  'backups.maxBytes': 'What they may take up together; the newest is kept whatever it takes.',
  'backups.recover': 'Whether a damaged ledger is replaced by the newest good one, by itself.',
}
