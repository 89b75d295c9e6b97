-- SPDX-License-Identifier: MIT
--
-- trawl.lua: shows the events in a pcapng of trawl-export as a protocol of their own.
--
-- trawl-export writes an event that is no USB packet as an exported PDU that is an entry of a
-- systemd journal, lines NAME=VALUE, the last of which holds the JSON object of the event. Without
-- this file Wireshark shows the entry. With it:
--
--   trawl.event.name trawl.event.source trawl.event.ts   what happened, where, when (ns, 64 bits)
--   trawl.cpu trawl.pid trawl.tid trawl.comm             who did it
--   trawl.site.symbol .file .line .offset                which probe site was hit
--   trawl.field.NAME                                     each field, with its type; in NAME, "->"
--                                                        is "." and other characters than letters,
--                                                        digits, "_", "-" and "." are "_"
--   trawl.field                                          each field again, as the text NAME=VALUE
--
-- Wireshark requires that filter names are registered before the first packet, but each event has
-- its own fields. Names are taken from these places; the first that has a name determines its type:
--
--   1. the capture files on the command line: trawl-export puts the names and types of its fields
--      into the file, in a block that Wireshark itself skips (of a .gz: the header's comment);
--   2. captures that the graphical Wireshark has shown before: this plugin stores their names in
--      the file "trawl-fields" in the personal configuration folder;
--   3. arg1 to arg12 and some names that many events have.
--
-- A name that none of these has is still shown, and found by trawl.field == "NAME=VALUE"; the
-- graphical Wireshark has stored it by then, and Analyze > Reload Lua Plugins registers it.

local WIRESHARK_UPPER_PDU = wtap.WIRESHARK_UPPER_PDU
local FIELD_NAMES_BLOCK = 0x80747277
local MOST_NAMES = 4096

-- Types of a name: i signed, u unsigned, x unsigned in hex, f float, b boolean, s text.
local types = {}

local function merge(a, b)
	if a == nil or a == b then
		return b
	end
	local number = { i = true, u = true, x = true, b = true }
	if number[a] and number[b] then
		return (a == "i" or b == "i") and "i" or "u"
	end
	return "s"
end

-- ---- names and types ----------------------------------------------------------------------------

-- Returns the NAME in the filter of a field: Wireshark takes no other characters, and no empty
-- part.
local function filter_name(name)
	return (name:gsub("%->", "."):gsub("[^%w_.-]", "_"):gsub("%.%.+", "."):gsub("^%.", "")
		:gsub("%.$", ""))
end

-- Parses "trawl-fields: name=type name=type ..." into a table by the names in filters.
local function read_names(text, into)
	local n = 0
	for name, kind in text:gmatch("(%S+)=([iuxfbs])%f[%s%z]") do
		if n == MOST_NAMES then
			break
		end
		name = filter_name(name)
		into[name] = merge(into[name], kind)
		n = n + 1
	end
end

local function u32(s, at)
	local a, b, c, d = s:byte(at, at + 3)
	return d and ((d * 256 + c) * 256 + b) * 256 + a
end

-- Returns the text in the names block of a pcapng file, or in the comment of a gzip header; or nil.
local function names_in_file(path)
	local f = io.open(path, "rb")
	local head = f and f:read(1024 * 1024)
	if f then
		f:close()
	end
	if not head then
		return nil
	end
	if head:sub(1, 3) == "\31\139\8" then
		local comment = head:byte(4) == 16 and head:match("^([^%z]*)%z", 11)
		return comment and comment:match("^trawl%-fields:.*")
	end
	local at = 1
	while true do
		local kind, size = u32(head, at), u32(head, at + 4)
		if not size or size < 12 or at + size - 1 > #head then
			return nil
		end
		if kind == FIELD_NAMES_BLOCK then
			return head:sub(at + 8, at + size - 5):match("^trawl%-fields:.*")
		end
		at = at + size
	end
end

-- Opens only files with the name of a capture: reading from a pipe would take its data.
local function read_command_line()
	local f = io.open("/proc/self/cmdline", "rb")
	local line = f and f:read("*a")
	if f then
		f:close()
	end
	for word in (line or ""):gmatch("[^%z]+") do
		for _, path in ipairs({ word, word:match("^%-r(.+)") }) do
			if path:match("%.pcapng$") or path:match("%.pcapng%.gz$") then
				read_names(names_in_file(path) or "", types)
			end
		end
	end
end

local learned_path = Dir.personal_config_path("trawl-fields")

local function read_learned()
	local f, learned = io.open(learned_path, "r"), {}
	if f then
		read_names(f:read("*a") or "", learned)
		f:close()
	end
	for name, kind in pairs(learned) do
		types[name] = types[name] or kind
	end
	return learned
end

local usual = {
	i = "arg1 arg2 arg3 arg4 arg5 arg6 arg7 arg8 arg9 arg10 arg11 arg12 pid prev_pid next_pid " ..
	    "prev_prio next_prio prev_state prio target_cpu orig_cpu dest_cpu parent_pid child_pid " ..
	    "old_pid ret error fd irq vec code sig errno nr id",
	x = "__probe_ip __probe_func __probe_ret_ip ip parent_ip call_site ptr addr address flags",
	u = "len size count bytes offset sector nr_sector dev rwbs_len order delay runtime",
	s = "comm prev_comm next_comm parent_comm child_comm oldcomm newcomm name filename path " ..
	    "function action rwbs cmd string msg",
}

read_command_line()
local learned = read_learned()
for kind, names in pairs(usual) do
	for name in names:gmatch("%S+") do
		types[name] = types[name] or kind
	end
end

-- ---- the protocol -------------------------------------------------------------------------------

local proto = Proto("trawl", "Trawl event")

local make = {
	i = ProtoField.int64,
	u = ProtoField.uint64,
	x = function(abbrev, name) return ProtoField.uint64(abbrev, name, base.HEX) end,
	f = ProtoField.double,
	b = ProtoField.bool,
	s = ProtoField.string,
}

local fields = {
	name = ProtoField.string("trawl.event.name", "Event"),
	source = ProtoField.string("trawl.event.source", "Source"),
	ts = ProtoField.uint64("trawl.event.ts", "Time (ns)"),
	cpu = ProtoField.uint32("trawl.cpu", "CPU"),
	pid = ProtoField.uint32("trawl.pid", "Process"),
	tid = ProtoField.uint32("trawl.tid", "Thread"),
	comm = ProtoField.string("trawl.comm", "Command"),
	symbol = ProtoField.string("trawl.site.symbol", "Symbol"),
	file = ProtoField.string("trawl.site.file", "File"),
	line = ProtoField.uint32("trawl.site.line", "Line"),
	offset = ProtoField.uint64("trawl.site.offset", "Offset", base.HEX),
	any = ProtoField.string("trawl.field", "Field"),
}

local registered = {}
local list = {}
for _, f in pairs(fields) do
	list[#list + 1] = f
end
for name, kind in pairs(types) do
	registered[name] = make[kind]("trawl.field." .. name, name)
	list[#list + 1] = registered[name]
end
proto.fields = list

local bad_json = ProtoExpert.new("trawl.malformed", "Not the JSON of an event",
				 expert.group.MALFORMED, expert.severity.ERROR)
proto.experts = { bad_json }

-- ---- JSON ---------------------------------------------------------------------------------------

-- A value is {kind, text, from, to}: kind "number", "string", "literal", "object" or "array". The
-- last two have members [1..n], in an object with .key. from and to are 1-based positions.

local function utf8_char(c)
	if c < 0x80 then
		return string.char(c)
	elseif c < 0x800 then
		return string.char(0xc0 + math.floor(c / 64), 0x80 + c % 64)
	elseif c < 0x10000 then
		return string.char(0xe0 + math.floor(c / 4096), 0x80 + math.floor(c / 64) % 64,
				   0x80 + c % 64)
	end
	return string.char(0xf0 + math.floor(c / 262144), 0x80 + math.floor(c / 4096) % 64,
			   0x80 + math.floor(c / 64) % 64, 0x80 + c % 64)
end

local escapes = { n = "\n", t = "\t", r = "\r", b = "\b", f = "\f" }

local function unescape(s)
	if not s:find("\\", 1, true) then
		return s
	end
	s = s:gsub("\\u([dD][89abAB]%x%x)\\u([dD][c-fC-F]%x%x)", function(high, low)
		return utf8_char(0x10000 + (tonumber(high, 16) - 0xd800) * 0x400 +
				 tonumber(low, 16) - 0xdc00)
	end)
	-- in one pass, so that "\\n" is a backslash and an n
	return (s:gsub("\\(u?)(.)(%x?%x?%x?)", function(u, c, rest)
		if u == "u" then
			return utf8_char(tonumber(c .. rest, 16) or 0xfffd)
		end
		return (escapes[c] or c) .. rest
	end))
end

local value

local function text_end(s, at)
	local p = at + 1
	while true do
		local q = s:find('["\\]', p)
		if not q then
			return nil
		end
		if s:sub(q, q) == '"' then
			return q
		end
		p = q + 2
	end
end

local function members(s, at, depth)
	local open = s:sub(at, at)
	local close = open == "{" and "}" or "]"
	local v = { kind = open == "{" and "object" or "array", from = at }
	local p = s:find("%S", at + 1)
	if p and s:sub(p, p) == close then
		v.to = p
		return v, p + 1
	end
	while p do
		local key
		if open == "{" then
			local stop = s:sub(p, p) == '"' and text_end(s, p)
			if not stop then
				return nil
			end
			key = unescape(s:sub(p + 1, stop - 1))
			p = s:match("^%s*:%s*()", stop + 1)
			if not p then
				return nil
			end
		end
		local e
		e, p = value(s, p, depth + 1)
		if not e then
			return nil
		end
		e.key = key
		v[#v + 1] = e
		p = s:match("^%s*()", p)
		local c = s:sub(p, p)
		if c == close then
			v.to = p
			return v, p + 1
		elseif c ~= "," then
			return nil
		end
		p = s:match("^%s*()", p + 1)
	end
	return nil
end

function value(s, at, depth)
	local c = s:sub(at, at)
	if c == "{" or c == "[" then
		if depth == 32 then
			return nil
		end
		return members(s, at, depth)
	end
	if c == '"' then
		local stop = text_end(s, at)
		if not stop then
			return nil
		end
		local text = unescape(s:sub(at + 1, stop - 1))
		return { kind = "string", text = text, from = at, to = stop }, stop + 1
	end
	local text = s:match("^-?%d[%d%.eE+-]*", at)
	if text then
		return { kind = "number", text = text, from = at, to = at + #text - 1 }, at + #text
	end
	text = s:match("^%a+", at)
	if text == "true" or text == "false" or text == "null" then
		return { kind = "literal", text = text, from = at, to = at + #text - 1 }, at + #text
	end
	return nil
end

-- ---- 64-bit numbers: Lua's own are doubles ------------------------------------------------------

local billion_signed, billion = Int64.new(1000000000), UInt64.new(1000000000)

local function digits_to(class, factor, digits)
	if #digits <= 9 then
		return class.new(tonumber(digits))
	end
	local high, low = digits:sub(1, -10), digits:sub(-9)
	return digits_to(class, factor, high) * factor + class.new(tonumber(low))
end

local function above(digits, limit)
	return #digits > #limit or (#digits == #limit and digits > limit)
end

-- Returns nil if the text is no integer of 64 bits.
local function to_signed(text)
	local sign, digits = text:match("^(-?)(%d+)$")
	if not digits or above(digits, sign == "-" and "9223372036854775808" or "9223372036854775807") then
		return nil
	end
	local n = digits_to(Int64, billion_signed, digits)
	return sign == "-" and -n or n
end

local function to_unsigned(text)
	if not text:match("^%d+$") or above(text, "18446744073709551615") then
		return nil
	end
	return digits_to(UInt64, billion, text)
end

-- ---- dissection ---------------------------------------------------------------------------------

-- Converts the value for a registered field of this type; nil if it does not fit.
local function typed(kind, v)
	if kind == "s" then
		return v.text
	elseif kind == "b" then
		return (v.text == "true" and true) or (v.text == "false" and false) or nil
	elseif v.kind ~= "number" then
		return nil
	elseif kind == "i" then
		return to_signed(v.text)
	elseif kind == "f" then
		return tonumber(v.text)
	end
	return to_unsigned(v.text)
end

local fresh = {}

local function learn(name, v)
	local kind = "s"
	if v.kind == "number" then
		kind = v.text:match("^-?%d+$") and "i" or "f"
	elseif v.text == "true" or v.text == "false" then
		kind = "b"
	end
	name = filter_name(name)
	if gui_enabled() and name ~= "" then
		local known = learned[name]
		learned[name] = merge(known, kind)
		fresh[1] = fresh[1] or learned[name] ~= known
	end
end

local function save_learned()
	local f = fresh[1] and io.open(learned_path, "w")
	fresh = {}
	if not f then
		return
	end
	f:write("trawl-fields:")
	for name, kind in pairs(learned) do
		f:write(" ", name, "=", kind)
	end
	f:write("\n")
	f:close()
end

-- Replaces control characters (C0, DEL, C1), which the text of a traced program may have.
local function line(text)
	return (text:gsub("%c", " "):gsub("\194[\128-\159]", " "))
end

local function shown(v)
	if v.kind == "string" then
		return '"' .. v.text .. '"'
	elseif v.kind == "array" then
		local parts = {}
		for i, e in ipairs(v) do
			parts[i] = shown(e)
		end
		return "{" .. table.concat(parts, ",") .. "}"
	elseif v.kind == "object" then
		return "{...}"
	end
	if v.text == "null" then
		return v.why and "(unavailable: " .. v.why .. ")" or "(no value)"
	end
	return v.text
end

local function add_field(tree, name, v, payload)
	local range = payload(v.from - 1, v.to - v.from + 1)
	if v.kind == "array" then
		for _, e in ipairs(v) do
			add_field(tree, name, e, payload)
		end
		return
	end
	if v.text == nil or v.text == "null" then
		tree:add(range, line(name .. ": " .. shown(v)))
		return
	end
	local x
	local key = filter_name(name)
	if registered[key] then
		x = typed(types[key], v)
	end
	local plain = name .. "=" .. v.text
	if x ~= nil then
		tree:add(registered[key], range, x)
		tree:add(fields.any, range, plain):set_hidden(true)
	else
		tree:add(fields.any, range, plain):set_text(line(name .. ": " .. shown(v)))
		learn(name, v)
	end
end

local function is_object(v)
	return v and v.kind == "object"
end

local function is_known(v)
	return v and v.text and v.text ~= "null"
end

-- Adds the fields that every event has. m: the members of the event, by name.
local function add_common(tree, m, payload)
	local function add(field, v, convert)
		local x = is_known(v) and
			  (convert and convert(v.text) or not convert and v.text)
		if x then
			tree:add(field, payload(v.from - 1, v.to - v.from + 1), x)
		end
	end
	add(fields.name, m.name)
	add(fields.source, m.source)
	add(fields.ts, m.ts_ns, to_unsigned)
	add(fields.cpu, m.cpu, tonumber)
	add(fields.pid, m.pid, tonumber)
	add(fields.tid, m.tid, tonumber)
	add(fields.comm, m.comm)
	for _, v in ipairs(is_object(m.site) and m.site or {}) do
		local number = v.key == "line" and tonumber or
			       v.key == "offset" and to_unsigned or nil
		if fields[v.key] then
			add(fields[v.key], v, number)
		end
	end
end

-- Adds the fields f of the event; appends to info those that the column Info shows.
local function add_own(tree, f, unavailable, payload, info)
	local branch = tree:add(payload(f.from - 1, f.to - f.from + 1), "Fields")
	local why = {}
	for _, v in ipairs(is_object(unavailable) and unavailable or {}) do
		why[v.key] = v.text
	end
	for _, v in ipairs(f) do
		v.why = why[v.key]
		add_field(branch, v.key, v, payload)
		if v.key:sub(1, 2) ~= "__" then
			info[#info + 1] = v.key .. "=" .. shown(v)
		end
	end
end

local function dissect_event(payload, pinfo, root)
	local text = payload:raw()
	local json = text:match(".*\nTRAWL=()")
	local event = json and value(text, json, 0)
	local tree = root:add(proto, payload())
	if not is_object(event) then
		tree:add_proto_expert_info(bad_json)
		return
	end
	local m = {}
	for _, v in ipairs(event) do
		m[v.key] = v
	end
	add_common(tree, m, payload)
	local info = { m.name and m.name.text or "?" }
	if is_object(m.fields) then
		add_own(tree, m.fields, m.unavailable, payload, info)
	end
	tree:append_text(line(": " .. info[1]))
	pinfo.cols.protocol = "trawl"
	pinfo.cols.info = line(table.concat(info, " "))
	if is_known(m.tid) then
		local comm = is_known(m.comm) and m.comm.text or "?"
		pinfo.cols.src = line(comm .. "-" .. m.tid.text)
	end
	if fresh[1] then
		save_learned()
	end
end

-- Returns the payload after the tags, if they are those of trawl-export; else nil.
local function payload_of(tvb)
	local at, ours = 0, false
	while at + 4 <= tvb:len() do
		local tag, size = tvb(at, 2):uint(), tvb(at + 2, 2):uint()
		at = at + 4
		if tag == 0 then
			return ours and at < tvb:len() and tvb(at):tvb() or nil
		end
		if at + size > tvb:len() then
			return nil
		end
		if tag == 33 then
			ours = tvb(at, size):stringz() == "trawl"
		end
		at = at + size
	end
	return nil
end

local encapsulations = DissectorTable.get("wtap_encap")
local others = encapsulations:get_dissector(WIRESHARK_UPPER_PDU)

function proto.dissector(tvb, pinfo, root)
	local payload = payload_of(tvb)
	if payload then
		dissect_event(payload, pinfo, root)
	elseif others then
		others:call(tvb, pinfo, root)
	end
end

encapsulations:add(WIRESHARK_UPPER_PDU, proto)
