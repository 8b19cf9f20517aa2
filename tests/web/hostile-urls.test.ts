import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { safeFetch } from "../../src/web/safe-fetch.js";
import { PUBLIC_ADDRESS, startPageNetwork, type PageNetwork } from "../support/page-network.js";

/** Each must end before any connection is asked for. The names that resolve to something are listed in `NAMES`. */
const HOSTILE: [url: string, reason: string][] = [
  ["http://127.0.0.1/", "loopback"],
  ["http://127.255.255.254/", "loopback is all of 127/8"],
  ["https://127.0.0.1/", "loopback over TLS"],
  ["http://127.0.0.1./", "loopback with a trailing dot"],
  ["http://127.1/", "loopback in two parts"],
  ["http://127.0.1/", "loopback in three parts"],
  ["http://2130706433/", "loopback as one decimal number"],
  ["http://0x7f000001/", "loopback as one hexadecimal number"],
  ["http://017700000001/", "loopback as one octal number"],
  ["http://0177.0.0.01/", "loopback in octal parts"],
  ["http://0x7f.0x0.0x0.0x1/", "loopback in hexadecimal parts"],
  ["http://127.0x0.00.1/", "loopback in mixed notation"],
  ["http://%31%32%37.0.0.1/", "loopback with percent-encoded digits"],
  ["http://①②⑦.⓪.⓪.①/", "loopback in circled digits, which IDNA maps to plain ones"],
  ["http://127。0。0。1/", "loopback with ideographic full stops"],
  ["http://0/", "0 is 0.0.0.0, which means this machine"],
  ["http://0.0.0.0:8080/", "unspecified address"],
  ["http://0.1.2.3/", "this network (0/8)"],
  ["http://10.0.0.1/", "private 10/8"],
  ["http://172.16.0.1/", "private 172.16/12, first"],
  ["http://172.31.255.255/", "private 172.16/12, last"],
  ["http://192.168.1.1/", "private 192.168/16, where routers live"],
  ["http://3232235777/", "192.168.1.1 as one decimal number"],
  ["http://169.254.169.254/latest/meta-data/", "metadata of AWS, Azure, GCP, OpenStack"],
  ["http://0xa9fea9fe/latest/meta-data/", "metadata in hexadecimal"],
  ["http://2852039166/", "metadata in decimal"],
  ["http://169.254.170.2/v2/credentials", "metadata of AWS ECS tasks"],
  ["http://100.100.100.200/latest/meta-data/", "metadata of Alibaba Cloud"],
  ["http://192.0.0.192/opc/v2/", "metadata of Oracle Cloud"],
  ["http://168.63.129.16/machine?comp=goalstate", "Azure's wire server, on a public address"],
  ["http://metadata.google.internal/computeMetadata/v1/", "metadata of GCP by name"],
  ["http://100.64.0.1/", "carrier-grade NAT, first"],
  ["http://100.127.255.254/", "carrier-grade NAT, last"],
  ["http://192.0.2.1/", "documentation"],
  ["http://198.51.100.7/", "documentation"],
  ["http://203.0.113.7/", "documentation"],
  ["http://198.18.0.1/", "benchmarking"],
  ["http://192.88.99.1/", "6to4 relay"],
  ["http://224.0.0.1/", "multicast"],
  ["http://239.255.255.250:8080/", "multicast (SSDP)"],
  ["http://240.0.0.1/", "reserved"],
  ["http://255.255.255.255/", "broadcast"],
  ["http://[::1]/", "IPv6 loopback"],
  ["http://[0:0:0:0:0:0:0:1]/", "IPv6 loopback written out"],
  ["http://[::]/", "IPv6 unspecified"],
  ["http://[::ffff:127.0.0.1]/", "IPv4-mapped loopback"],
  ["http://[::ffff:a9fe:a9fe]/", "IPv4-mapped metadata"],
  [
    "http://[::ffff:93.184.215.14]/",
    "IPv4-mapped at all: the wrapped address is not what would be checked",
  ],
  ["http://[::127.0.0.1]/", "IPv4-compatible loopback"],
  ["http://[::ffff:0:127.0.0.1]/", "IPv4-translated loopback (RFC 6145)"],
  ["http://[64:ff9b::7f00:1]/", "NAT64 of loopback"],
  ["http://[64:ff9b:1::a00:1]/", "local NAT64 (RFC 8215)"],
  ["http://[2002:7f00:1::]/", "6to4 of loopback"],
  ["http://[2002:a9fe:a9fe::]/", "6to4 of metadata"],
  ["http://[2001:0:53aa:64c:0:fbff:5601:5601]/", "Teredo"],
  ["http://[fe80::1]/", "IPv6 link-local"],
  ["http://[fe80::1%25eth0]/", "IPv6 with a zone"],
  ["http://[fec0::1]/", "IPv6 site-local, deprecated but still routed by some"],
  ["http://[fc00::1]/", "IPv6 unique local"],
  ["http://[fd00:ec2::254]/latest/meta-data/", "metadata of AWS over IPv6"],
  ["http://[fd20:ce::254]/computeMetadata/v1/", "metadata of GCP over IPv6"],
  ["http://[ff02::1]/", "IPv6 multicast"],
  ["http://[2001:db8::1]/", "IPv6 documentation"],
  ["http://[3fff::1]/", "IPv6 documentation (RFC 9637)"],
  ["http://[100::1]/", "IPv6 discard prefix"],
  ["http://[2001:2::1]/", "IPv6 benchmarking"],
  ["http://[2001:20::1]/", "IPv6 ORCHID"],
  ["http://[5f00::1]/", "IPv6 segment routing"],
  ["http://localhost/", "this machine by name"],
  ["http://LOCALHOST:8080/", "this machine by name, in capitals"],
  ["http://localhost./", "this machine by name, with a trailing dot"],
  ["http://localhost../", "this machine by name, with two"],
  ["http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/", "this machine in circled letters, which IDNA maps to plain ones"],
  ["http://admin.localhost/", "below localhost"],
  ["http://printer.local/", "multicast DNS"],
  ["http://db.internal/", "internal names"],
  ["http://nas.home.arpa/", "home networks (RFC 8375)"],
  ["http://router.lan/", "names that home routers give"],
  ["http://intranet/", "a name without a dot"],
  ["http://kubernetes.default.svc.cluster.local/", "a cluster's own name"],
  ["http://hidden.onion/", "Tor, which has no address"],
  ["http://127.0.0.1.nip.io/", "a public name that leads to loopback"],
  ["http://metadata.attacker.com/", "a public name that leads to metadata"],
  ["http://mapped.attacker.com/", "a public name that leads to an IPv4-mapped address"],
  ["http://v6.attacker.com/", "a public name that leads to IPv6 loopback"],
  ["http://zone.attacker.com/", "a public name that leads to an address with a zone"],
  [
    "http://both.attacker.com/",
    "one public and one private address: whichever is dialled, it is no honest name",
  ],
  ["http://garbage.attacker.com/", "a resolver's answer that is no address"],
  ["http://xn--lcalhost-n4a.attacker.com/", "punycode that leads to loopback"],
  ["http://user:secret@example.com/", "credentials"],
  ["http://example.com@127.0.0.1/", "loopback behind a user name that looks like a host"],
  ["http://127.0.0.1#@example.com/", "loopback before a fragment that looks like a host"],
  ["http://127.0.0.1\\@example.com/", "loopback before a backslash, which URL takes for a slash"],
  ["http:127.0.0.1/", "loopback without slashes"],
  ["  http://127.0.0.1/  ", "loopback between spaces"],
  ["http://127.0.\n0.1/", "loopback across a line break"],
  ["http://example.com:22/", "SSH"],
  ["http://example.com:25/", "mail"],
  ["http://example.com:6379/", "Redis"],
  ["http://example.com:11211/", "memcached"],
  ["http://example.com:2375/containers/json", "Docker"],
  ["http://example.com:9200/", "Elasticsearch"],
  ["https://example.com:80443/", "no port at all"],
  ["file:///etc/passwd", "a file"],
  ["ftp://example.com/file", "FTP"],
  ["gopher://127.0.0.1:6379/_INFO", "gopher, which speaks any line protocol"],
  ["data:text/html,<h1>x</h1>", "data"],
  ["javascript:alert(1)", "script"],
  ["blob:https://example.com/1", "blob"],
  ["ws://example.com/", "web socket"],
  ["//example.com/", "no scheme"],
  ["not a url", "no URL"],
  [`http://example.com/${"a".repeat(3_000)}`, "too long"],
];

/** Next to the hostile ones: each must be dialled, at the address given. */
const LEGITIMATE: [url: string, address: string][] = [
  ["http://example.com/", `${PUBLIC_ADDRESS}:80`],
  ["https://example.com/", `${PUBLIC_ADDRESS}:443`],
  ["http://EXAMPLE.com./", `${PUBLIC_ADDRESS}:80`],
  ["http://example.com:8080/", `${PUBLIC_ADDRESS}:8080`],
  ["https://example.com:8443/", `${PUBLIC_ADDRESS}:8443`],
  ["http://93.184.215.14/", "93.184.215.14:80"],
  ["http://1572394766/", "93.184.215.14:80"],
  ["http://9.255.255.255/", "9.255.255.255:80"],
  ["http://11.0.0.1/", "11.0.0.1:80"],
  ["http://100.63.255.255/", "100.63.255.255:80"],
  ["http://100.128.0.1/", "100.128.0.1:80"],
  ["http://126.255.255.255/", "126.255.255.255:80"],
  ["http://128.0.0.1/", "128.0.0.1:80"],
  ["http://169.253.255.255/", "169.253.255.255:80"],
  ["http://172.15.255.255/", "172.15.255.255:80"],
  ["http://172.32.0.1/", "172.32.0.1:80"],
  ["http://192.167.255.255/", "192.167.255.255:80"],
  ["http://192.169.0.1/", "192.169.0.1:80"],
  ["http://223.255.255.254/", "223.255.255.254:80"],
  ["http://[2606:4700:4700::1111]/", "2606:4700:4700::1111:80"],
  ["http://[2a00:1450:4001:82a::200e]/", "2a00:1450:4001:82a::200e:80"],
  ["http://v6.example.com/", "2606:4700:4700::1111:80"],
  ["http://localhost.example.com/", `${PUBLIC_ADDRESS}:80`],
  ["http://internal.example.com/", `${PUBLIC_ADDRESS}:80`],
  ["http://127.0.0.1.example.com/", `${PUBLIC_ADDRESS}:80`],
  ["http://not-local.example.com/", `${PUBLIC_ADDRESS}:80`],
  ["http://bücher.de/", `${PUBLIC_ADDRESS}:80`],
  ["http://example.com\\@127.0.0.1/", `${PUBLIC_ADDRESS}:80`],
  ["http://example.com/?url=http://127.0.0.1/#http://localhost/", `${PUBLIC_ADDRESS}:80`],
];

/** Targets of redirects from an honest page; the first connection is made, the second must not be. */
const HOSTILE_REDIRECTS: [location: string, reason: string][] = [
  ["http://127.0.0.1/", "loopback"],
  ["//127.0.0.1/", "loopback without a scheme"],
  ["http://2130706433/", "loopback as a number"],
  ["http://[::1]:8080/", "IPv6 loopback"],
  ["http://[::ffff:169.254.169.254]/", "IPv4-mapped metadata"],
  ["http://169.254.169.254/latest/meta-data/iam/security-credentials/", "metadata"],
  ["http://metadata.google.internal/", "metadata by name"],
  ["http://metadata.attacker.com/", "a public name that leads to metadata"],
  ["http://localhost/", "this machine by name"],
  ["http://10.0.0.5:8080/", "private"],
  ["https://192.168.0.1/", "private over TLS"],
  ["http://example.com:6379/", "Redis"],
  ["http://user:secret@example.com/", "credentials"],
  ["file:///etc/passwd", "a file"],
  ["gopher://example.com/_x", "gopher"],
  ["data:text/plain,x", "data"],
  ["javascript:alert(1)", "script"],
  ["http://[fe80::1%25eth0]/", "no valid URL"],
];

const NAMES: Record<string, readonly string[] | (() => readonly string[])> = {
  "127.0.0.1.nip.io": ["127.0.0.1"],
  "metadata.attacker.com": ["169.254.169.254"],
  "mapped.attacker.com": ["::ffff:10.0.0.1"],
  "v6.attacker.com": ["::1"],
  "zone.attacker.com": ["fe80::1%eth0"],
  "both.attacker.com": [PUBLIC_ADDRESS, "10.0.0.1"],
  "garbage.attacker.com": ["nonsense"],
  "xn--lcalhost-n4a.attacker.com": ["127.0.0.1"],
  "v6.example.com": ["2606:4700:4700::1111"],
  "dual.example.com": ["2606:4700:4700::9999", PUBLIC_ADDRESS],
  "rebinding.attacker.com": rebinding(),
};

/** Public at the first look-up, loopback at every later one. */
function rebinding(): () => readonly string[] {
  let lookups = 0;
  return () => [(lookups += 1) === 1 ? PUBLIC_ADDRESS : "127.0.0.1"];
}

let network: PageNetwork;
beforeAll(async () => {
  network = await startPageNetwork(
    (request, response) => {
      const url = new URL(request.url ?? "/", "http://stand-in");
      const location = url.searchParams.get("to");
      if (url.pathname === "/redirect" && location !== null)
        response.writeHead(302, { location, "set-cookie": "session=1" }).end();
      else if (url.pathname === "/loop") response.writeHead(307, { location: "/loop" }).end();
      else response.writeHead(200, { "content-type": "text/plain" }).end("a page");
    },
    { names: NAMES, unreachable: ["2606:4700:4700::9999"] },
  );
});
afterAll(() => network.close());
beforeEach(() => network.forget());

const fetchIt = (url: string): Promise<unknown> =>
  safeFetch(url, { resolve: network.resolve, dial: network.dial, timeoutInMs: 5_000 });
const redirectTo = (location: string): string =>
  `http://example.com/redirect?to=${encodeURIComponent(location)}`;

describe("hostile URLs", () => {
  it("are at least sixty, redirects included", () => {
    expect(HOSTILE.length + HOSTILE_REDIRECTS.length).toBeGreaterThanOrEqual(60);
  });

  it.each(HOSTILE)("%s never leads to a connection: %s", async (url) => {
    await expect(fetchIt(url)).rejects.toMatchObject({
      name: "PageError",
      message: expect.stringMatching(/refused|not a valid URL/),
    });
    expect(network.attempts).toEqual([]);
  });

  it.each(HOSTILE_REDIRECTS)("a redirect to %s is not followed: %s", async (location) => {
    await expect(fetchIt(redirectTo(location))).rejects.toMatchObject({
      name: "PageError",
      message: expect.stringMatching(/refused|not a valid URL/),
    });
    expect(network.attempts).toEqual([`${PUBLIC_ADDRESS}:80`]);
  });
});

describe("the legitimate ones next to them", () => {
  it.each(LEGITIMATE)("%s is dialled at %s", async (url, address) => {
    await expect(fetchIt(url)).resolves.toMatchObject({ contentType: "text/plain" });
    expect(network.attempts).toEqual([address]);
  });

  it("a redirect to another public page is followed", async () => {
    await expect(fetchIt(redirectTo("https://www.example.org/page"))).resolves.toMatchObject({
      url: "https://www.example.org/page",
    });
    expect(network.attempts).toEqual([`${PUBLIC_ADDRESS}:80`, `${PUBLIC_ADDRESS}:443`]);
    expect(network.servernames).toEqual(["example.com", "www.example.org"]);
  });
});

describe("what an attacker tries at connect time", () => {
  it("DNS rebinding: what is dialled is the address that was checked, since the name is looked up once a connection", async () => {
    await expect(fetchIt("http://rebinding.attacker.com/")).resolves.toBeDefined();
    expect(network.attempts).toEqual([`${PUBLIC_ADDRESS}:80`]);
    expect(network.lookups).toHaveLength(1);
    // The name leads to loopback from now on: the next connection looks it up, and is refused.
    await expect(fetchIt("http://rebinding.attacker.com/")).rejects.toMatchObject({
      message: expect.stringMatching(/refused|not a valid URL/),
    });
    expect(network.attempts).toHaveLength(1);
  });

  it("tries the next address when one is not reachable", async () => {
    await fetchIt("http://dual.example.com/");
    expect(network.attempts).toEqual(["2606:4700:4700::9999:80", `${PUBLIC_ADDRESS}:80`]);
  });

  it("redirects without end", async () => {
    await expect(fetchIt("http://example.com/loop")).rejects.toMatchObject({
      message: "more than 5 redirects",
    });
    expect(network.requests).toHaveLength(6);
  });

  it("sends no cookies, no credentials and no referrer along, also after a redirect that sets a cookie", async () => {
    await fetchIt(redirectTo("http://www.example.org/"));
    for (const { headers } of network.requests) {
      expect(Object.keys(headers).sort()).toEqual([
        "accept",
        "accept-encoding",
        "connection",
        "host",
        "user-agent",
      ]);
    }
    expect(network.requests.map(({ headers }) => headers.host)).toEqual([
      "example.com",
      "www.example.org",
    ]);
  });

  it("lets through a host named by the user, on that port only", async () => {
    const options = {
      resolve: network.resolve,
      dial: network.dial,
      allowHosts: ["127.0.0.1:3000", "[::1]:3000"],
    };
    await expect(safeFetch("http://127.0.0.1:3000/", options)).resolves.toBeDefined();
    await expect(safeFetch("http://[::1]:3000/", options)).resolves.toBeDefined();
    expect(network.attempts).toEqual(["127.0.0.1:3000", "::1:3000"]);
    // A scheme's usual port is left out of a URL, but not of what was named.
    await expect(
      safeFetch("http://127.0.0.1/", { ...options, allowHosts: ["127.0.0.1:80"] }),
    ).resolves.toBeDefined();
    await expect(safeFetch("http://127.0.0.1:3001/", options)).rejects.toMatchObject({
      message: expect.stringMatching(/refused|not a valid URL/),
    });
    await expect(
      safeFetch("http://127.0.0.1:3000/redirect?to=http://127.0.0.1:80/", options),
    ).rejects.toMatchObject({ message: expect.stringMatching(/refused|not a valid URL/) });
    expect(network.attempts).toHaveLength(4);
  });

  it.each([
    ["http://meta.attacker.com/", "169.254.169.254"],
    ["http://ten.attacker.com/", "10.0.0.5"],
    ["http://self.attacker.com:8080/", "127.0.0.1"],
    ["http://nat.attacker.com/", "100.64.0.1"],
    ["http://ula.attacker.com/", "fd12:3456::1"],
    ["http://mapped.attacker.com/", "::ffff:127.0.0.1"],
    ["http://both.attacker.com/", PUBLIC_ADDRESS, "192.168.0.1"],
    ["http://wiki.corp/", "10.1.1.1"],
    ["http://localhost/", "10.1.1.1"],
    ["http://localhost.attacker.com/", "127.0.0.1"],
    ["http://169.254.169.254/latest/meta-data"],
    ["http://2852039166/latest/meta-data"],
    ["http://0xa9fea9fe/"],
    ["http://[::ffff:169.254.169.254]/"],
    ["http://[64:ff9b::a9fe:a9fe]/"],
    ["http://[2002:a9fe:a9fe::]/"],
    ["http://[fd00:ec2::254]/"],
    ["http://[fd00:0ec2:0:0:0:0:0:0254]/"],
    ["http://168.63.129.16/"],
    ["http://100.100.100.200/"],
    ["http://192.0.0.192/"],
    ["http://0.0.0.0/"],
    ["http://[fe80::1]/"],
  ])(
    "refuses what looks public or is a metadata service, though the user typed %s",
    async (url, ...addresses) => {
      const { hostname, port } = new URL(url);
      const resolve = (): Promise<readonly string[]> => Promise.resolve(addresses);
      const options = { resolve, dial: network.dial, allowHosts: [`${hostname}:${port || "80"}`] };
      await expect(safeFetch(url, options)).rejects.toMatchObject({
        name: "PageError",
        message: expect.stringContaining("refused"),
      });
      expect(network.attempts).toEqual([]);
    },
  );

  it("refuses credentials also where the user typed the host, and does not repeat them", async () => {
    const options = { resolve: network.resolve, dial: network.dial, allowHosts: ["localhost:80"] };
    await expect(safeFetch("http://user:pw@localhost/", options)).rejects.toMatchObject({
      name: "PageError",
      message: "the address is refused: has credentials in it",
    });
    expect(network.attempts).toEqual([]);
  });

  it("lets a private address and localhost through that the user typed", async () => {
    for (const [url, address] of [
      ["http://192.168.1.20:3000/", "192.168.1.20"],
      ["http://100.64.0.7:3000/", "100.64.0.7"],
      ["http://[fd12:3456::1]:3000/", "fd12:3456::1"],
      ["http://localhost:3000/", "::1"],
    ] as const) {
      const { host } = new URL(url);
      const resolve = (): Promise<readonly string[]> => Promise.resolve([address]);
      await safeFetch(url, { resolve, dial: network.dial, allowHosts: [host] });
      expect(network.attempts.pop()).toBe(`${address}:3000`);
    }
  });
});
