/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "decode/usb/msc.h"
#include "decode/usb/scsisense.h"

static const char *brief(const struct msc_step *s, const void *p, size_t n)
{
	static struct out o;

	out_free(&o);
	out_memory(&o);
	msc_brief(s, p, n, &o);
	out_char(&o, '\0');
	return o.data;
}

#define CBW(tag, length, flags, cdb_length, cdb) \
	"USBC" tag "\0\0\0" length "\0\0\0" flags "\0" cdb_length cdb

/* Data, its length, begin and end. */
#define TRANSFER(p, ...) (&(struct msc_transfer){ (const void *)(p), __VA_ARGS__, false })
/* The same in a file that lacks transfers between others. */
#define SPARSE(p, n) (&(struct msc_transfer){ (const void *)(p), n, 0, 0, true })

Test(msc, transfers_that_were_left_out)
{
	static const char cbw[31] = CBW("\x07", "\x08", "\x80", "\x0a", "\x25");
	struct msc m = {0};
	struct msc_step s;

	cr_assert(msc_bot(&m, false, SPARSE(cbw, 31), &s));
	cr_expect(!msc_is_guess(&s), "a command says itself what it is");
	cr_expect(!msc_bot(&m, false, SPARSE("01234567", 8), &s), "data of a command that writes");
	cr_expect(!msc_bot(&m, true, SPARSE("012345678", 9), &s), "more than the command reads");
	cr_assert(msc_bot(&m, true, SPARSE("01234567", 8), &s));
	cr_expect(msc_is_guess(&s), "its data, or that of another");
	cr_assert(msc_bot(&m, true, SPARSE("USBS\x09\0\0\0\0\0\0\0\0", 13), &s));
	cr_expect(!s.has_command && !s.tag_differs, "the status of another");
	cr_assert(msc_bot(&m, false, SPARSE(cbw, 31), &s));
	cr_assert(msc_bot(&m, true, SPARSE("USBS\x07\0\0\0\0\0\0\0\0", 13), &s));
	cr_expect(s.has_command && !msc_is_guess(&s), "a status has the tag of its command");
}

Test(msc, a_command_from_wrapper_to_status)
{
	static const char cbw[31] = CBW("\x07", "\x08", "\x80", "\x0a", "\x25");
	struct msc m = {0};
	struct msc_step s;

	cr_assert(msc_bot(&m, false, TRANSFER(cbw, 31, 1000000, 1100000), &s));
	cr_expect_eq(s.phase, MSC_COMMAND);
	cr_expect_str_eq(brief(&s, cbw, 31), "READ CAPACITY(10) tag 0x7");
	cr_assert(msc_bot(&m, true, TRANSFER("\0\0\x7f\xff\0\0\x02\0", 8, 1200000, 1300000), &s));
	cr_expect_str_eq(brief(&s, "\0\0\x7f\xff\0\0\x02\0", 8),
			 "READ CAPACITY(10) data 32768 blocks of 512 bytes");
	cr_assert(msc_bot(&m, true, TRANSFER("USBS\x07\0\0\0\0\0\0\0\0", 13, 1400000, 1500000), &s));
	cr_expect_str_eq(brief(&s, "", 0), "READ CAPACITY(10) passed after 0.500 ms");
	cr_expect_not(msc_is_problem(&s));
	cr_expect_not(msc_bot(&m, true, TRANSFER("x", 1, 0, 0), &s), "nothing is open any more");
}

/* Whether the tree of a step has an object or number of this path; *u is the number. */
static bool says(const struct msc_step *s, const void *p, size_t n, const char *path, uint64_t *u)
{
	const struct tree_node *node;
	struct tree t;

	tree_init(&t);
	msc_tree(s, p, n, &t);
	node = tree_find(&t, path, 0);
	if (node)
		*u = node->u;
	tree_free(&t);
	return node != NULL;
}

Test(msc, what_the_host_sends_is_no_answer)
{
	static const char select[31] =
		CBW("\x02", "\x08", "\0", "\x0a", "\x55\x10\0\0\0\0\0\x01\x08\0");
	static const char reserve[31] =
		CBW("\x03", "\x18", "\0", "\x0a", "\x5f\0\0\0\0\0\x01\0\x18\0");
	static const char write[31] = CBW("\x04", "\0", "\0", "\x0a", "\x2a");
	static const char *const allocation = "storage.scsi.allocation_length";
	static const char *const list = "storage.scsi.parameter_list_length";
	struct msc m = {0};
	struct msc_step s;
	uint64_t u = 0;

	msc_bot(&m, false, TRANSFER(select, 31, 0, 0), &s);
	cr_expect(says(&s, select, 31, list, &u) && u == 0x108 &&
		  !says(&s, select, 31, allocation, &u));
	msc_bot(&m, false, TRANSFER("\0\0\x05\x80\0\0\0\0", 8, 0, 0), &s);
	cr_expect(says(&s, "\0\0\x05\x80\0\0\0\0", 8, "storage.parameter_list.medium_type", &u) &&
		  u == 5);
	cr_expect_not(says(&s, "\0\0\x05\x80\0\0\0\0", 8, "storage.answer", &u));
	msc_bot(&m, true, TRANSFER("\0\0\x05\x80\0\0\0\0", 8, 0, 0), &s);
	cr_expect_not(says(&s, "\0\0\x05\x80\0\0\0\0", 8, "storage.answer", &u), "the wrong way");
	msc_bot(&m, false, TRANSFER(reserve, 31, 0, 0), &s);
	cr_expect(says(&s, reserve, 31, list, &u) && u == 0x10018, "its length has four bytes");
	msc_bot(&m, false, TRANSFER(write, 31, 0, 0), &s);
	msc_bot(&m, false, TRANSFER("xxxxxxxx", 8, 0, 0), &s);
	cr_expect_not(says(&s, "xxxxxxxx", 8, "storage.answer", &u));
	cr_expect_not(says(&s, "xxxxxxxx", 8, "storage.parameter_list", &u));
}

Test(msc, failures_are_problems)
{
	static const char cbw[31] = CBW("\x01", "\0", "\0", "\x06", "");
	struct msc m = {0};
	struct msc_step s;

	msc_bot(&m, false, TRANSFER(cbw, 31, 0, 0), &s);
	msc_bot(&m, true, TRANSFER("USBS\x01\0\0\0\x05\0\0\0\x01", 13, 0, 0), &s);
	cr_expect_str_eq(brief(&s, "", 0), "TEST UNIT READY failed, residue 5");
	cr_expect(msc_is_problem(&s));
	msc_bot(&m, false, TRANSFER(cbw, 31, 0, 0), &s);
	msc_bot(&m, true, TRANSFER("USBS\x09\0\0\0\0\0\0\0\0", 13, 0, 0), &s);
	cr_expect(s.tag_differs);
	cr_expect(msc_is_problem(&s));
}

Test(msc, what_is_no_wrapper)
{
	static const char cbw[31] = CBW("\x01", "\0", "\0", "\x06", "");
	char bad[31];

	cr_expect(msc_is_cbw((const uint8_t *)cbw, 31));
	cr_expect_not(msc_is_cbw((const uint8_t *)cbw, 30));
	memcpy(bad, cbw, 31);
	bad[14] = 17;
	cr_expect_not(msc_is_cbw((const uint8_t *)bad, 31), "a CDB of 17 bytes");
	bad[14] = 0;
	cr_expect_not(msc_is_cbw((const uint8_t *)bad, 31));
}

Test(msc, uas)
{
	static const uint8_t command[32] = {
		1, 0, 0, 9, [9] = 2, [16] = 0x28, [21] = 0x40, [24] = 1,
	};
	static const uint8_t sense[] = {
		3, 0, 0, 9, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 18,
		0x70, 0, 3, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x11, 0, 0, 0, 0, 0,
	};
	static const uint8_t response[8] = {4, 0, 0, 9, [7] = 0x02};
	struct msc m = {0};
	struct msc_step s;

	cr_assert(msc_uas(&m, 1, TRANSFER(command, sizeof(command), 0, 0), &s));
	cr_expect_str_eq(brief(&s, "", 0), "READ(10) lba 64 + 1 tag 0x9");
	cr_assert(msc_uas(&m, 3, TRANSFER(command, 12, 0, 0), &s));
	cr_expect(s.has_command, "one command in flight: the data is its");
	cr_assert(msc_uas(&m, 2, TRANSFER(sense, sizeof(sense), 0, 2000000), &s));
	cr_expect_str_eq(brief(&s, "", 0), "READ(10) lba 64 + 1 check condition, medium error: "
			 "unrecovered read error after 2.000 ms");
	cr_expect(msc_is_problem(&s));
	cr_expect_eq(s.lun, 2, "the unit of its command");
	/*
	 * The answer may precede the completion of the command, which then must not open a command.
	 */
	msc_uas_submitted(&m, command, sizeof(command), 3000000);
	cr_assert(msc_uas(&m, 3, TRANSFER(command, 12, 3100000, 3200000), &s));
	cr_expect(s.has_command, "its data");
	cr_assert(msc_uas(&m, 2, TRANSFER(sense, sizeof(sense), 3000000, 5000000), &s));
	cr_expect(s.has_command, "its answer");
	cr_expect_eq(s.started, 3000000, "the command's time");
	cr_assert(msc_uas(&m, 1, TRANSFER(command, sizeof(command), 3000000, 5100000), &s));
	cr_expect_str_eq(brief(&s, "", 0), "READ(10) lba 64 + 1 tag 0x9");
	cr_assert(msc_uas(&m, 3, TRANSFER(command, 12, 5200000, 5300000), &s));
	cr_expect_not(s.has_command, "nothing is in flight");
	/* A command that the device does not understand gets a response and is finished. */
	msc_uas_submitted(&m, command, sizeof(command), 6000000);
	cr_assert(msc_uas(&m, 2, TRANSFER(response, sizeof(response), 6000000, 6100000), &s));
	cr_expect_str_eq(brief(&s, "", 0), "READ(10) lba 64 + 1 invalid information unit");
	cr_assert(msc_uas(&m, 3, TRANSFER(command, 12, 6200000, 6300000), &s));
	cr_expect_not(s.has_command, "it is in flight no more");
	for (size_t n = 0; n < sizeof(sense); n++) {
		uint8_t *exact = malloc(n ? n : 1);

		memcpy(exact, sense, n);
		msc_uas(&m, 2, TRANSFER(exact, n, 0, 0), &s);
		cr_expect_leq(s.sense_len, n);
		free(exact);
	}
}

static const char *command(const char *cdb, uint8_t n)
{
	struct scsi_command c = {.length = n};
	static struct out o;

	memcpy(c.cdb, cdb, n);
	out_free(&o);
	out_memory(&o);
	scsi_command_brief(&c, &o);
	out_char(&o, '\0');
	return o.data;
}

Test(scsi, commands)
{
	cr_expect_str_eq(command("\x08\x1f\xff\xff\0\0", 6), "READ(6) lba 2097151 + 256");
	cr_expect_str_eq(command("\x28\0\0\0\x08\0\0\0\x10\0", 10), "READ(10) lba 2048 + 16");
	cr_expect_str_eq(command("\xa8\0\0\0\0\x01\0\0\x02\0\0\0", 12), "READ(12) lba 1 + 512");
	cr_expect_str_eq(command("\x88\0\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0", 16),
			 "READ(16) lba 4294967296 + 1");
	cr_expect_str_eq(command("\x12\x01\x80\0\xff\0", 6), "INQUIRY page 0x80");
	cr_expect_str_eq(command("\x1a\0\x3f\0\xc0\0", 6), "MODE SENSE(6) page 0x3f");
	cr_expect_str_eq(command("\x1b\0\0\0\x02\0", 6), "START STOP UNIT eject");
	cr_expect_str_eq(command("\x1b\0\0\0\x30\0", 6), "START STOP UNIT standby",
			 "with a power condition, START says nothing");
	cr_expect_str_eq(command("\x1b\0\0\0\x10\0", 6), "START STOP UNIT active");
	cr_expect_str_eq(command("\x1b\0\0\0\x50\0", 6), "START STOP UNIT reserved");
	cr_expect_str_eq(command("\x9e\x10\0\0\0\0\0\0\0\0\0\0\0\x20\0\0", 16),
			 "READ CAPACITY(16)");
	cr_expect_str_eq(command("\xee\0\0\0\0\0", 6), "SCSI command 0xee");
	/* A CDB that is too short for its operation code has no address. */
	cr_expect_str_eq(command("\x28\0\0\0\x08\0", 6), "READ(10)");
}

/* Returns the decoded data of a command, as in --fields all. */
static const char *data_of(const char *cdb, uint8_t length, const char *p, size_t n)
{
	struct scsi_command c = {.length = length};
	uint8_t *exact = malloc(n ? n : 1);
	static struct out o;
	struct tree t;

	memcpy(c.cdb, cdb, length);
	memcpy(exact, p, n);
	tree_init(&t);
	out_free(&o);
	out_memory(&o);
	scsi_data_tree(&c, exact, n, &t);
	tree_line(&t, 0, t.count, &o);
	out_char(&o, '\0');
	tree_free(&t);
	free(exact);
	return o.data;
}

#define DATA(cdb, text) data_of(cdb, sizeof(cdb) - 1, text, sizeof(text) - 1)

Test(scsi, data)
{
	cr_expect_str_eq(DATA("\x12\x01\x83\0\xff\0", "\0\x83\x01\x02" "abcd"),
			 "page=0x83 page_name=\"device identification\" page_length=258 "
			 "designators=[] page_data=61626364");
	cr_expect_str_eq(DATA("\x12\x01\x83\0\xff\0", "\0\x83\0\x08\x02\x81\0\x04" "WD 1"),
			 "page=0x83 page_name=\"device identification\" page_length=8 "
			 "designators=[{code_set=2 piv=true association=0 "
			 "designator_type=\"T10 vendor id\" designator=\"WD 1\"}]");
	cr_expect_str_eq(DATA("\x12\x01\x80\0\xff\0", "\0\x80\0\x04" "S/N "),
			 "page=0x80 page_name=\"unit serial number\" page_length=4 serial=\"S/N\"");
	cr_expect_str_eq(DATA("\x12\x01\xc5\0\xff\0", "\0\xc5\0\x04" "abcd"),
			 "page=0xc5 page_length=4 page_data=61626364");
	cr_expect_str_eq(DATA("\x12\x01\x80\0\xff\0", "\0\x80\0"), "");
	cr_expect_str_eq(
		DATA("\x12\0\0\0\xff\0", "\x05\x80\x06\x02\x1f\0\0\0QEMU    QEMU CD-ROM     2.5+"),
		"device_type=5 device_type_name=\"cd/dvd\" peripheral_qualifier=0 removable=true "
		"version=6 lu_cong=false normaca=false hisup=false response_data_format=2 "
		"additional_length=31 sccs=false acc=false tpgs=0 tpc=false protect=false "
		"bque=false encserv=false multip=false mchngr=false addr16=false wbus16=false "
		"sync=false cmdque=false vendor=\"QEMU\" "
		"product=\"QEMU CD-ROM\" revision=\"2.5+\"");
	cr_expect_str_eq(DATA("\x12\0\0\0\xff\0", "\0\0\x06\x02\x1f"),
			 "device_type=0 device_type_name=\"disk\" peripheral_qualifier=0 removable=false "
			 "version=6 lu_cong=false normaca=false hisup=false "
			 "response_data_format=2 additional_length=31");
	cr_expect_str_eq(DATA("\x12\0\0\0\xff\0", "\0\0\x06\x02"), "");
	cr_expect_str_eq(DATA("\x25\0\0\0\0\0\0\0\0\0", "\0\0\x7f\xff\0\0\x02\0"),
			 "last_lba=32767 block_size=512");
}

#define HEAD "mode_data_length=8 medium_type=0 write_protect=true dpofua=false "

Test(scsi, mode_parameters)
{
	/* A page that is cut has the fields that are there, and says so. */
	cr_expect_str_eq(DATA("\x1a\0\x08\0\xff\0", "\x08\0\x80\0\x9c\x0a\x10\x04\0\0"),
			 HEAD "block_descriptor_length=0 pages=[{page_code=0x1c "
			 "page_name=\"informational exceptions control\" ps=true page_length=10 "
			 "perf=false ebf=false ewasc=true dexcpt=false test=false ebackerr=false "
			 "logerr=false mrie=4 cut=true}]");
	/* Block descriptors that are not there: what follows is no page. */
	cr_expect_str_eq(DATA("\x1a\0\x08\0\xff\0", "\x08\0\x80\x10\x08\x04\x04"),
			 HEAD "block_descriptor_length=16 block_descriptors=[]");
	/* Byte 0 is a density or part of the number of blocks. */
	cr_expect_str_eq(DATA("\x1a\0\x08\0\xff\0", "\x08\0\x80\x08\x01\0\0\0\0\0\x02\0"),
			 HEAD "block_descriptor_length=8 "
			 "block_descriptors=[{data=0100000000000200 block_length=512}]");
	cr_expect_str_eq(DATA("\x1a\0\x08\0\xff\0", "\x08\0\x80\x08\0\x12\x34\x56\0\0\x02\0"),
			 HEAD "block_descriptor_length=8 "
			 "block_descriptors=[{number_of_blocks=1193046 block_length=512}]");
	/* A page of another length than the one that is known by its code. */
	cr_expect_str_eq(DATA("\x1a\0\x08\0\xff\0", "\x08\0\x80\0\x05\x02\x04\x04\0\x07"),
			 HEAD "block_descriptor_length=0 pages=[{page_code=0x05 ps=false page_length=2 "
			 "page_data=0404}] page_data=0007");
	cr_expect_str_eq(DATA("\x1a\0\x08\0\xff\0", "\x08\0\x80"), "");
	/* With subpages the length has two bytes. */
	cr_expect_str_eq(DATA("\x1a\0\x0a\1\xff\0", "\x08\0\x80\0\x4a\x01\0\x03\x04\x02\xfc"),
			 HEAD "block_descriptor_length=0 pages=[{page_code=0x0a subpage=0x01 "
			 "page_name=\"control extension\" ps=false page_length=3 tcmos=true "
			 "scsip=false ialuae=false initial_command_priority=2 "
			 "maximum_sense_data_length=252}]");
}

Test(scsi, a_disk_of_more_blocks_than_32_bits_count)
{
	struct scsi_command c = {.cdb = {0x25}, .length = 10};
	struct out o;

	out_memory(&o);
	cr_expect(scsi_data_brief(&c, (const uint8_t *)"\xff\xff\xff\xff\0\0\x02\0", 8, &o));
	out_char(&o, '\0');
	cr_expect_str_eq(o.data, " more than 4294967295 blocks of 512 bytes");
	out_free(&o);
}

static const char *sense(const char *p, size_t n)
{
	static struct out o;

	out_free(&o);
	out_memory(&o);
	scsi_sense_brief((const uint8_t *)p, n, &o);
	out_char(&o, '\0');
	return o.data;
}

Test(scsi, sense)
{
	cr_expect_str_eq(sense("\x70\0\x02\0\0\0\0\x0a\0\0\0\0\x3a\0\0\0\0\0", 18),
			 "not ready: medium not present");
	cr_expect_str_eq(sense("\x72\x05\x24\0\0\0\0\0", 8),
			 "illegal request: invalid field in CDB");
	cr_expect_str_eq(sense("\x70\0\x0b\0\0\0\0\x0a\0\0\0\0\xee\x01\0\0\0\0", 18),
			 "aborted command: asc 0xee ascq 0x01");
	cr_expect_str_eq(sense("", 0), "sense data not understood");
	cr_expect_str_eq(sense("\x7f\0\0", 3), "sense data not understood");
}
