CREATE TABLE `reactions` (
	`repo_id` integer NOT NULL,
	`kind` text NOT NULL,
	`subject_id` integer NOT NULL,
	`thread` integer NOT NULL,
	`shown` text,
	`shown_id` integer,
	`stale_id` integer,
	`sending` text,
	`refused` integer DEFAULT false NOT NULL,
	`open` integer DEFAULT true NOT NULL,
	PRIMARY KEY(`repo_id`, `kind`, `subject_id`),
	FOREIGN KEY (`repo_id`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `reactions_open` ON `reactions` (`repo_id`) WHERE "reactions"."open" = 1;--> statement-breakpoint
CREATE TABLE `status_comments` (
	`repo_id` integer NOT NULL,
	`issue_number` integer NOT NULL,
	`state` text NOT NULL,
	`remote_id` integer,
	`digest` text,
	`sent_at` integer DEFAULT 0 NOT NULL,
	`open` integer DEFAULT true NOT NULL,
	PRIMARY KEY(`repo_id`, `issue_number`),
	FOREIGN KEY (`repo_id`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `status_comments_open` ON `status_comments` (`repo_id`) WHERE "status_comments"."open" = 1;